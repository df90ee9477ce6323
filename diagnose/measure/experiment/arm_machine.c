/*
 * Arms that change the machine under the program: its prefetchers, its page cache.
 */
#include "experiment/arm.h"

#include <errno.h>
#include <stdlib.h>

#include "experiment/input_files.h"
#include "experiment/prefetchers.h"

/* ---- prefetchers ---- */

int sd_arm_prefetchers(struct sd_arm_round *r, struct sd_run *run)
{
	const struct sd_trial_change change = {.timeout_s = sd_arm_timeout(r, run->point)};
	const struct sd_cpulist *cpus = &r->plan->point[run->point].cpus;
	struct sd_prefetchers off;
	int rc;

	if (sd_prefetchers_off(&off, r->x->prefetchers, cpus, r->why, sizeof r->why))
		return 0;
	rc = sd_trial_run(r->t, run, &change);
	/* a machine that is not as it was is worth more than the reason of a failed run */
	if (sd_prefetchers_on(&off, r->why, sizeof r->why))
		sd_say(r->t->sink, SD_LEVEL_WARNING, "%s", r->why);
	return rc;
}

/* ---- the page cache ---- */

/* Share of pages that counts as all: others may have needed memory meanwhile. */
#define ALL_CACHED .99
#define MOSTLY_CACHED .95

struct warming {
	struct sd_arm_round *r;
	enum sd_arm arm;
	struct sd_input_files_cached before; /* the program starts: what it finds */
};

static void look(void *ctx, pid_t parent)
{
	const struct warming *w = ctx;

	sd_input_files_look(w->r->x->inputs, parent);
}

/* Gives up if the files do not fit into memory, or are cached anyway. */
static int fits(struct sd_arm_round *r, const struct sd_input_files_cached *c)
{
	const struct sd_value memory = r->t->record->host.memory_bytes;

	if (c->files == 0 || c->bytes <= 0)
		SD_GIVE_UP(r, "the program was not seen to read any file");
	else if (sd_has(c->cached) && c->cached.value >= ALL_CACHED)
		SD_GIVE_UP(r,
			"what it reads (%zu file%s, %.3g MB) is in the page cache before it starts, as it is",
			c->files, c->files == 1 ? "" : "s", c->bytes * 1e-6);
	else if (sd_has(memory) && c->bytes > SD_ARM_MEMORY_SHARE * memory.value)
		SD_GIVE_UP(r, "its files (%.1f GB) do not fit into the memory that is free",
			c->bytes * 1e-9);
	return r->why[0] == '\0';
}

static int warm(void *ctx)
{
	struct warming *w = ctx;
	struct sd_arm_round *r = w->r;
	const struct sd_input_files *in = r->x->inputs;
	int rc;

	w->before = sd_input_files_cached(in);
	if (w->arm == SD_ARM_PLAIN)
		return 0;
	if (!fits(r, &w->before))
		return -ECANCELED;
	rc = sd_input_files_read(in, r->t->measure->stop);
	if (rc)
		return rc;
	w->before = sd_input_files_cached(in);
	if (!sd_has(w->before.cached) || w->before.cached.value >= MOSTLY_CACHED)
		return 0;
	SD_GIVE_UP(r, "of its files (%.3g MB) only %.0f %% stay in the page cache",
		w->before.bytes * 1e-6, 100 * w->before.cached.value);
	return -ECANCELED;
}

int sd_arm_cached(struct sd_arm_round *r, struct sd_run *run, enum sd_arm arm)
{
	struct warming w = {.r = r, .arm = arm};
	const struct sd_trial_change change = {
		.timeout_s = arm == SD_ARM_PLAIN ? 0 : sd_arm_timeout(r, run->point),
		.before = warm,
		.look = look,
		.ctx = &w};
	const int rc = sd_trial_run(r->t, run, &change);

	if (rc)
		return rc == -ECANCELED && r->why[0] ? 0 : rc;
	run->tried = calloc(1, sizeof *run->tried);
	if (!run->tried)
		return -ENOMEM;
	run->tried->side[SD_SIDE_CACHED] = w.before.cached;
	run->tried->side[SD_SIDE_CACHED_BYTES] = SD_OK(w.before.bytes);
	return 0;
}
