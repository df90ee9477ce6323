#include "fleet/fleet_calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "fleet/fleet.h"
#include "profile/profile_file.h"
#include "store/fleet_store.h"
#include "sweep/sweep_engine.h"
#include "sweep/sweep_hosts.h"
#include "sweep/sweep_run.h"

#define LIST_TIMEOUT_S 60.0

struct calibrating {
	const struct sd_cli *cli;
	const struct sd_fleet_options *a;
	enum sd_sweep_engine engine;
	struct sd_texts words; /* what each node runs */
	struct sd_fleet_store *store;
	int64_t sweep;
	size_t all, done, failed;
};

/* ---- which nodes, and by what ---------------------------------------------------------------- */

static int list_command(const struct sd_fleet_options *a, struct sd_texts *argv)
{
	int rc;

	if (!a->slurm)
		return sd_sweep_engine_group(a->group, argv);
	rc = sd_texts_add(argv, "sinfo");
	rc = rc ? rc : sd_texts_add(argv, "-N");
	rc = rc ? rc : sd_texts_add(argv, "-h");
	rc = rc ? rc : sd_texts_add(argv, "-o");
	rc = rc ? rc : sd_texts_add(argv, "%%N %%T");
	return rc == 0 && a->partition ? sd_texts_add(argv, "--partition=%s", a->partition) : rc;
}

static void say_unfit(const struct sd_cli *cli, const struct sd_texts *unfit)
{
	char names[300] = "";

	for (size_t i = 0; i < unfit->n; i++) {
		const size_t used = strlen(names);

		snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", unfit->text[i]);
	}
	if (unfit->n)
		sd_say(cli->sink, SD_LEVEL_WARNING, "%zu node%s down or drained, and left out: %s",
			unfit->n, unfit->n == 1 ? " is" : "s are", names);
}

/* Takes the hosts from what a resource manager prints. */
static int ask_hosts(const struct calibrating *c, struct sd_texts *hosts)
{
	struct sd_texts argv = {.n = 0}, unfit = {.n = 0};
	char why[256], *text = NULL;
	size_t size = 0;
	int rc = list_command(c->a, &argv);

	if (rc == -ENOENT) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR,
			"--group %s: neither nodeset (ClusterShell) nor pdsh is installed; name the "
			"nodes by --hosts FILE",
			c->a->group);
		return rc;
	}
	if (rc == 0)
		rc = sd_sweep_run_one(&argv, LIST_TIMEOUT_S, c->cli->stop, &text, &size, why);
	if (rc == -ECHILD)
		sd_say(c->cli->sink, SD_LEVEL_ERROR, "%s: %s", argv.text[0], why);
	if (rc == 0)
		rc = c->a->slurm
			     ? sd_sweep_hosts_slurm(text, size, hosts, &unfit, c->cli->sink)
			     : sd_sweep_hosts_parse(text, size, argv.text[0], hosts, c->cli->sink);
	say_unfit(c->cli, &unfit);
	free(text);
	sd_texts_free(&argv);
	sd_texts_free(&unfit);
	return rc;
}

static int choose_engine(struct calibrating *c)
{
	const int found = c->a->slurm         ? SD_SWEEP_SRUN
			  : c->a->engine >= 0 ? c->a->engine
					      : sd_sweep_engine_find();

	if (found < 0) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR,
			"none of clush, pdsh and ssh is installed, which reach the nodes");
		return found;
	}
	c->engine = (enum sd_sweep_engine)found;
	if (sd_sweep_engine_installed(sd_sweep_engine_name[found]))
		return 0;
	sd_say(c->cli->sink, SD_LEVEL_ERROR, "%s is not installed here",
		sd_sweep_engine_name[found]);
	return -ENOENT;
}

static int choose_words(struct calibrating *c)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	int rc;

	path[n > 0 ? n : 0] = '\0';
	rc = sd_texts_add(&c->words, "%s", c->a->remote ? c->a->remote : path);
	rc = rc ? rc : sd_texts_add(&c->words, "calibrate");
	rc = rc ? rc : sd_texts_add(&c->words, c->a->full ? "--full" : "--quick");
	return rc ? rc : sd_texts_add(&c->words, "--format=json");
}

/* ---- the sweep ------------------------------------------------------------------------------- */

static int command_of(void *ctx, const char *host, struct sd_texts *argv)
{
	const struct calibrating *const c = ctx;

	return sd_sweep_engine_command(c->engine, host, c->a->partition, &c->words, argv);
}

/* 1: what it printed is no calibration, which has been said. */
static int keep_profile(struct calibrating *c, const struct sd_sweep_outcome *o)
{
	struct sd_fleet_node node = {.n_pair = 0};
	struct sd_profile p = {.granted = 0};
	int rc =
		sd_profile_parse(o->printed, o->size, o->host, &p, o->why[0] ? NULL : c->cli->sink);

	if (rc == -EINVAL)
		return 1;
	if (rc == 0)
		rc = sd_fleet_node_of(&p, &node);
	if (rc == 0) {
		/* by the name that it is reached by, and drained by */
		snprintf(node.host, sizeof node.host, "%s", o->host);
		rc = sd_fleet_store_add(c->store, &node);
		rc = rc < 0 ? rc : sd_fleet_store_sweep_done(c->store, c->sweep, o->host);
	}
	sd_fleet_node_free(&node);
	sd_profile_free(&p);
	return rc;
}

static int take_outcome(void *ctx, const struct sd_sweep_outcome *o)
{
	struct calibrating *const c = ctx;
	char line[160];
	const int rc = keep_profile(c, o);

	if (rc < 0)
		return rc;
	c->done++;
	c->failed += rc == 1;
	if (rc == 1 || o->why[0])
		sd_say(c->cli->sink, rc == 1 ? SD_LEVEL_ERROR : SD_LEVEL_WARNING, "%s: %s%s",
			o->host, o->why[0] ? o->why : "printed no calibration",
			rc == 1 ? "" : "; what it measured is kept");
	snprintf(line, sizeof line, "calibrating the fleet: %zu of %zu nodes, %zu failed", c->done,
		c->all, c->failed);
	sd_progress_line_text(c->cli->line, line);
	return 0;
}

static void name_sweep(const struct sd_fleet_options *a, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s%s%s",
		a->slurm   ? "slurm "
		: a->hosts ? "hosts "
			   : "group ",
		a->hosts ? a->hosts : "", a->group ? a->group : "",
		a->partition ? a->partition : "", a->full ? " full" : "");
}

static int sweep_all(struct calibrating *c, const struct sd_texts *hosts)
{
	struct sd_texts left = {.n = 0};
	struct sd_sweep sweep = {.hosts = &left,
		.at_once = c->a->at_once,
		.timeout = c->a->timeout,
		.stop = c->cli->stop,
		.command = command_of,
		.done = take_outcome,
		.ctx = c};
	char name[600];
	int rc;

	name_sweep(c->a, name, sizeof name);
	rc = sd_fleet_store_sweep_begin(c->store, name, hosts, sd_clock_day(), &c->sweep, &left);
	if (rc == 0 && c->a->again && left.n < hosts->n) {
		sd_texts_free(&left);
		rc = sd_fleet_store_sweep_end(c->store, c->sweep, sd_clock_day());
		rc = rc ? rc
			: sd_fleet_store_sweep_begin(
				  c->store, name, hosts, sd_clock_day(), &c->sweep, &left);
	}
	if (rc == 0 && left.n < hosts->n)
		sd_say(c->cli->sink, SD_LEVEL_NOTE,
			"%zu of %zu nodes were calibrated before (--again begins anew)",
			hosts->n - left.n, hosts->n);
	c->all = left.n;
	rc = rc ? rc : sd_sweep_run(&sweep);
	if (rc == 0 && !c->failed)
		rc = sd_fleet_store_sweep_end(c->store, c->sweep, sd_clock_day());
	sd_texts_free(&left);
	return rc;
}

static enum sd_exit finish(const struct calibrating *c, size_t hosts, int rc)
{
	if (rc == -EINTR) {
		sd_say(c->cli->sink, SD_LEVEL_NOTE,
			"stopped: what was calibrated is in %s, and the same command goes on with "
			"the others",
			c->a->store);
		return SD_EXIT_INTERRUPTED;
	}
	if (rc == 0)
		sd_say(c->cli->sink, c->failed ? SD_LEVEL_ERROR : SD_LEVEL_NOTE,
			"%zu of %zu nodes are calibrated in %s%s", hosts - c->failed, hosts,
			c->a->store, c->failed ? "; the same command tries the others again" : "");
	return rc || c->failed ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

enum sd_exit sd_fleet_calibrate(const struct sd_cli *cli, const struct sd_fleet_options *a)
{
	struct calibrating c = {.cli = cli, .a = a};
	struct sd_texts hosts = {.n = 0};
	enum sd_exit status;
	int rc = choose_engine(&c);

	if (rc == 0)
		rc = a->hosts ? sd_sweep_hosts_read(a->hosts, &hosts, cli->sink)
			      : ask_hosts(&c, &hosts);
	if (rc == 0 && !hosts.n) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "there is no node to calibrate");
		rc = -ENODATA;
	}
	rc = rc ? rc : choose_words(&c);
	rc = rc ? rc : sd_fleet_store_open(&c.store, a->store, 1, cli->sink);
	rc = rc ? rc : sweep_all(&c, &hosts);
	sd_progress_line_clear(cli->line);
	if (rc == -ENOMEM)
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	status = finish(&c, hosts.n, rc);
	sd_fleet_store_close(c.store);
	sd_texts_free(&c.words);
	sd_texts_free(&hosts);
	return status;
}
