#include "calibrate/calibrate_node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "machine/available_memory.h"
#include "machine/memory_modules.h"
#include "bench/profile_merge.h"
#include "profile/profile_file.h"
#include "calibrate/machine_noise.h"
#include "base/time_shares.h"
#include "machine/topology.h"

/* Seconds for the whole, with some room below the 20 s and 3 minutes that are promised. */
#define QUICK_S 16.0
#define FULL_S 140.0
#define QUICK_END_S 18.0 /* nothing is begun after it, on however busy a machine */
#define FULL_END_S 170.0
/* Seconds where somebody waits: at most so long, and the room for a last measurement beyond it. */
#define BRIEF_S 2.6
#define BRIEF_ROOM_S 0.3
/* Samples that lie close together do not show what a second calibration would: everything is
 * measured again while there is time, at least so often that the time is planned for it. */
#define BLOCKS 2u
#define BLOCKS_MAX 8u
#define MEMORY_SHARE 2 /* of the available memory, one part in so many */

struct calibration {
	const struct sd_cli *cli;
	const struct sd_calibrate_options *a;
	struct sd_topology topology;
	struct sd_kernel_env env;
	double begin;              /* s, CLOCK_MONOTONIC */
	double total, end;         /* s since then */
	double share;              /* of the time, that the kernels before this one had */
	double weight;             /* of this one, as a fraction of all */
	struct sd_value effective; /* last-level cache */
	struct sd_bench_rows block[BLOCKS_MAX];
	unsigned n_block;
};

static void progress(void *ctx, const char *kernel, double fraction)
{
	const struct calibration *c = ctx;
	char text[200];

	snprintf(text, sizeof text, "calibrating: %s · %.0f %% · %.0f s of %s %.0f s", kernel,
		100 * (c->share + c->weight * (fraction < 1 ? fraction : 1)),
		sd_clock_s() - c->begin, c->a->named && !c->a->brief ? "at most" : "about",
		c->total);
	sd_progress_line_text(c->cli->line, text);
}

/* Counts above what this machine has are left out with a word. */
static int check_cores(const struct calibration *c)
{
	const struct sd_options *o = &c->a->options;

	if (!c->a->cores_given || o->cores != SD_CORES_LIST || o->n_count == 0)
		return 0;
	if (o->count[0] > c->topology.n_pu) {
		sd_say(c->cli->sink, SD_LEVEL_ERROR,
			"--cores: this machine has %zu CPU%s for us, and the least count asked for "
			"is %u",
			c->topology.n_pu, c->topology.n_pu == 1 ? "" : "s", o->count[0]);
		return -EINVAL;
	}
	if (o->count[o->n_count - 1] > c->topology.n_pu)
		sd_say(c->cli->sink, SD_LEVEL_NOTE,
			"counts above %zu are left out: no more CPUs here", c->topology.n_pu);
	return 0;
}

static void set_env(struct calibration *c, struct sd_machine_states *states)
{
	const struct sd_options *o = &c->a->options;

	c->env = (struct sd_kernel_env){.topology = &c->topology,
		.directory = c->a->directory,
		.quick = c->a->quick,
		.brief = c->a->brief,
		.effective = c->a->brief ? &c->effective : NULL,
		.memory_limit = sd_available_memory() / MEMORY_SHARE,
		.states = states,
		.stop = c->cli->stop,
		.progress = progress,
		.progress_ctx = c,
		.sink = c->cli->sink};
	if (c->a->cores_given && o->cores == SD_CORES_LIST) {
		c->env.cores = o->count;
		c->env.n_cores = o->n_count;
	}
}

static double weight_of(const struct sd_kernel *k)
{
	return k->weight > 0 ? k->weight : 1;
}

double sd_calibrate_node_seconds(const struct sd_calibrate_options *a)
{
	const double whole = a->quick ? QUICK_S : FULL_S;
	double all = 0, chosen = 0;

	if (!a->brief)
		return whole;
	for (size_t i = 0; a->kernels[i]; i++)
		all += a->kernels[i]->weight;
	for (size_t i = 0; i < a->n_chosen; i++)
		chosen += weight_of(a->chosen[i]);
	return fmin(chosen < all ? whole * chosen / all : whole, BRIEF_S);
}

/* Gives time to one kernel of a block, which began at `begun`; `left` are the weights after it. */
static void give_time(struct calibration *c, double begun, unsigned blocks_left, double weight,
	double left, double all)
{
	const double at = sd_clock_s() - c->begin, plan = (c->total - begun) / blocks_left;
	const struct sd_time_shares block = {plan, c->end, all}, whole = {c->total, c->end, all};

	c->env.budget_s = sd_share_of(&block, at - begun, weight, left).budget;
	/* a busy machine has one block, and all the time for it */
	c->env.deadline_s = c->begin + sd_share_of(&whole, at, weight, left).end;
}

/* The kernels in turn; what one does not use goes to those after it. */
static int run_block(struct calibration *c, unsigned blocks_left)
{
	const double begun = sd_clock_s() - c->begin, done = c->share;
	struct sd_bench_rows *const rows = &c->block[c->n_block];
	double all = 0, left;
	int rc = 0;

	for (size_t i = 0; i < c->a->n_chosen; i++)
		all += weight_of(c->a->chosen[i]);
	left = all;
	c->env.earlier = c->n_block ? &c->block[0] : NULL;
	c->env.again = blocks_left > 1;
	for (size_t i = 0; rc == 0 && i < c->a->n_chosen; i++) {
		const struct sd_kernel *k = c->a->chosen[i];

		left -= weight_of(k);
		give_time(c, begun, blocks_left, weight_of(k), left > 0 ? left : 0, all);
		c->weight = (1 - done) * weight_of(k) / all / blocks_left;
		progress(c, k->name, 0);
		rc = c->cli->stop && *c->cli->stop ? -EINTR : k->run(&c->env, rows);
		c->share += c->weight;
	}
	c->n_block++;
	return rc == 0 && c->cli->stop && *c->cli->stop ? -EINTR : rc;
}

/* How many more blocks there is time for, by those that were: a quarter of one is one that ends
 * after what matters first. */
static unsigned more_blocks(const struct calibration *c, unsigned most)
{
	const double used = sd_clock_s() - c->begin, left = c->total - used;

	return (unsigned)fmin(
		most - c->n_block, fmax(0, floor(left / fmax(1e-3, used / c->n_block) + .75)));
}

static int run_all(struct calibration *c, struct sd_profile *out)
{
	/* who asks for a part does not want the time of the whole */
	const unsigned most = c->a->brief                        ? 1
			      : c->a->named || c->a->cores_given ? BLOCKS
								 : BLOCKS_MAX;
	unsigned left = c->a->brief ? 1 : BLOCKS;
	int rc = 0;

	for (; rc == 0 && left > 0; left = more_blocks(c, most))
		rc = run_block(c, left);
	if (rc == 0)
		rc = sd_profile_merge_blocks(c->block, c->n_block, &out->states, &out->rows);
	out->blocks = c->n_block;
	for (unsigned i = 0; i < c->n_block; i++)
		sd_bench_rows_free(&c->block[i]);
	return rc;
}

static void describe(struct calibration *c, struct sd_profile *out)
{
	struct sd_memory_modules modules;

	snprintf(out->tool_version, sizeof out->tool_version, "%s", SD_VERSION);
	sd_profile_key_of(&out->key, &c->topology);
	out->start = sd_clock_day();
	out->quick = c->a->quick;
	out->calibrations = 1;
	out->granted = c->topology.granted;
	out->visible_llc = c->topology.llc_bytes;
	sd_node_facts_read(&out->facts, NULL);
	sd_memory_modules_read(&modules, NULL);
	out->memory_peak = modules.peak;
	c->begin = sd_clock_s();
	c->total = sd_calibrate_node_seconds(c->a);
	c->end = c->a->brief ? c->total + BRIEF_ROOM_S : c->a->quick ? QUICK_END_S : FULL_END_S;
}

static enum sd_exit finish(const struct calibration *c, int rc, struct sd_profile *out)
{
	if (rc == 0)
		return SD_EXIT_DONE;
	sd_profile_free(out);
	if (rc == -EINTR) {
		sd_say(c->cli->sink, SD_LEVEL_NOTE, "stopped: nothing was saved");
		return SD_EXIT_INTERRUPTED;
	}
	sd_say(c->cli->sink, SD_LEVEL_ERROR, "the calibration ended: %s", strerror(-rc));
	return SD_EXIT_MEASURE;
}

static enum sd_exit measure_once(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, struct sd_profile *out)
{
	const struct sd_topology_source here = {0};
	struct calibration c = {.cli = cli, .a = a};
	struct sd_machine_noise_mark before, after;
	enum sd_exit status;
	int rc;

	*out = (struct sd_profile){0};
	if (sd_topology_load(&c.topology, &here, cli->sink) != 0)
		return SD_EXIT_MEASURE;
	if (check_cores(&c) != 0) {
		sd_topology_free(&c.topology);
		return SD_EXIT_USAGE;
	}
	describe(&c, out);
	set_env(&c, &out->states);
	sd_machine_noise_read(&before, "");
	rc = run_all(&c, out);
	sd_machine_noise_read(&after, "");
	out->seconds = sd_clock_s() - c.begin;
	out->quiet.steal = sd_machine_noise_steal(&before, &after);
	out->quiet.psi_cpu = sd_machine_noise_psi(&before, &after);
	sd_kernel_states_splits(&out->states);
	sd_bench_rows_by_state(&out->rows, &out->states);
	sd_profile_count(out);
	status = finish(&c, rc, out);
	sd_topology_free(&c.topology);
	return status;
}

enum sd_exit sd_calibrate_node_measure(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, struct sd_profile *out)
{
	struct sd_profile *one;
	enum sd_exit status = SD_EXIT_DONE;
	unsigned n = 0;

	if (a->repeat < 2)
		return measure_once(cli, a, out);
	*out = (struct sd_profile){0};
	one = calloc(a->repeat, sizeof *one);
	for (; one && status == SD_EXIT_DONE && n < a->repeat; n++) {
		sd_progress_line_clear(cli->line);
		sd_say(cli->sink, SD_LEVEL_NOTE, "calibration %u of %u", n + 1, a->repeat);
		status = measure_once(cli, a, &one[n]);
	}
	if (!one || (status == SD_EXIT_DONE && sd_profile_merge(one, n, out))) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "not enough memory for %u calibrations",
			a->repeat);
		status = SD_EXIT_MEASURE;
	}
	for (unsigned i = 0; one && i < n; i++)
		sd_profile_free(&one[i]);
	free(one);
	return status;
}

int sd_calibrate_node_find(const struct sd_topology *t, unsigned cores, struct sd_profile *out,
	char *line, size_t size, const struct sd_sink *sink)
{
	struct sd_profile_key key;
	const char *differs = NULL;
	int rc;

	sd_profile_key_of(&key, t);
	rc = sd_profile_load(&key, out, &differs, sink);
	sd_profile_statement(rc, out, differs, cores, sd_clock_day(), line, size);
	return rc;
}

/* The key of the machine at `where` (NULL: here). */
static int key_at(const struct sd_topology_source *where, const struct sd_sink *sink,
	struct sd_profile_key *key)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t;
	const int rc = sd_topology_load(&t, where ? where : &here, sink);

	if (rc == 0)
		sd_profile_key_of(key, &t);
	sd_topology_free(&t);
	return rc;
}

int sd_calibrate_node_holds(const struct sd_profile *p, const struct sd_topology_source *where,
	const struct sd_sink *sink)
{
	struct sd_profile_key key = {0};

	if (key_at(where, sink, &key))
		return 0;
	if (strcmp(key.topology, p->key.topology) == 0)
		return 1;
	sd_say(sink, SD_LEVEL_ERROR,
		"the CPUs changed while they were measured (one went offline or came back, or the "
		"cpuset did): the profile is not saved; calibrate again");
	return 0;
}

int sd_calibrate_node_key(const struct sd_cli *cli, struct sd_profile_key *key)
{
	return key_at(NULL, cli->sink, key);
}
