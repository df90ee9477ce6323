#include "probe/kept_samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/configs.h"
#include "probes/sampled_run.h"
#include "resolve/stack_resolve.h"
#include "symbols/symbols.h"
#include "trace/trace_file.h"

struct sd_kept_samples {
	struct sd_symbols *symbols;
	struct sd_stack_resolve placing;
	char boot[SD_SAMPLED_RUN_BOOT]; /* of the kernel that runs now */
	unsigned other_boots;
};

int sd_kept_samples_open(
	struct sd_kept_samples **out, struct sd_stacks *stacks, const struct sd_sink *sink)
{
	struct sd_kept_samples *const k = calloc(1, sizeof *k);
	int rc;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	sd_sampled_run_boot("", k->boot);
	rc = sd_symbols_open(&k->symbols, "");
	if (!rc)
		rc = sd_stack_resolve_open(&k->placing, k->symbols, stacks, sd_configs_dir(), sink);
	if (rc)
		sd_kept_samples_close(k);
	else
		*out = k;
	return rc;
}

/* Facts about a recording that its resolution needs. */
struct origin {
	int first; /* pid of the program; 0 unknown */
	char boot[SD_SAMPLED_RUN_BOOT];
};

static int find_origin(void *ctx, const struct sd_event *e)
{
	struct origin *const o = ctx;

	if (e->kind == SD_EVENT_EXEC && !o->first)
		o->first = e->pid;
	if (e->kind == SD_EVENT_END) {
		o->first = e->pid;
		snprintf(o->boot, sizeof o->boot, "%s", e->name);
	}
	return 0;
}

static void begin_run(struct sd_kept_samples *k, const struct origin *o)
{
	sd_symbols_again(k->symbols);
	sd_stack_resolve_again(&k->placing);
	if (k->boot[0] && strcmp(k->boot, o->boot) == 0)
		return;
	sd_symbols_without_kernel(k->symbols);
	k->other_boots++;
}

/* The counts of two runs of one program are hardly ever the same. */
static int is_of(const struct sd_capture *c, const struct sd_run *run)
{
	struct sd_trace_facts f;

	sd_trace_facts(c, &f);
	return (double)f.n_samples == run->sampled.samples &&
	       (double)f.n_switches == run->sampled.switches;
}

/* Replaces what was recorded by what was made anew. */
static void replace(struct sd_run *run, struct sd_run *by)
{
	sd_sampled_free(&run->sampled);
	sd_binned_lanes_free(run->lanes);
	sd_native_lines_free(run->native);
	if (by->sampled.idle)
		free(run->concurrency);
	else {
		by->concurrency = run->concurrency;
		by->n_concurrency = run->n_concurrency;
	}
	*run = *by;
}

/* The file of a run, ready to be resolved. 0 or -errno, nothing open then. */
static int open_run(struct sd_kept_samples *k, const char *path, const struct sd_run *run,
	struct sd_sampled_run *how, struct sd_capture **out)
{
	struct origin origin = {0};
	int rc = sd_capture_from_file(out, path);

	if (!rc && !is_of(*out, run))
		rc = -ESTALE;
	if (!rc)
		rc = sd_trace_replay(*out, find_origin, &origin);
	if (rc) {
		sd_trace_close(*out);
		*out = NULL;
		return rc;
	}
	begin_run(k, &origin);
	how->placing = &k->placing;
	how->stacks = k->placing.stacks;
	how->first = origin.first;
	return 0;
}

int sd_kept_samples_account(struct sd_kept_samples *k, const char *path,
	const struct sd_accountant *rules, unsigned cores, unsigned lane_steps, struct sd_run *run)
{
	struct sd_sampled_run how = {.accountant = rules, .cores = cores, .lane_steps = lane_steps};
	struct sd_run anew = *run;
	struct sd_capture *c;
	int rc = open_run(k, path, run, &how, &c);

	if (!rc) {
		anew.sampled = (struct sd_sampled){.sample_s = run->sampled.sample_s};
		anew.lanes = NULL;
		anew.native = NULL;
		anew.concurrency = NULL;
		anew.n_concurrency = 0;
		rc = sd_sampled_run_account(&how, c, &anew);
		if (rc)
			free(anew.concurrency);
		else
			replace(run, &anew);
	}
	sd_trace_close(c);
	return rc;
}

int sd_kept_samples_timeline(struct sd_kept_samples *k, const char *path, const struct sd_run *run,
	struct sd_timeline *out)
{
	struct sd_sampled_run how = {0};
	struct sd_capture *c;
	int rc = open_run(k, path, run, &how, &c);

	if (!rc)
		rc = sd_sampled_run_timeline(&how, c, out);
	sd_trace_close(c);
	return rc;
}

unsigned sd_kept_samples_other_boots(const struct sd_kept_samples *k)
{
	return k->other_boots;
}

void sd_kept_samples_close(struct sd_kept_samples *k)
{
	if (!k)
		return;
	sd_stack_resolve_close(&k->placing);
	sd_symbols_close(k->symbols);
	free(k);
}
