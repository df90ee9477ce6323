#include "parts/rank_parts.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts/rank_part.h"
#include "parts/sampled_sum.h"
#include "record/record_file.h"

/* Those that processes add to; the others are a machine's. */
static const enum sd_metric added[] = {SD_METRIC_USER, SD_METRIC_SYSTEM, SD_METRIC_TASK_CLOCK,
	SD_METRIC_TSC_CYCLES, SD_METRIC_CYCLES, SD_METRIC_INSTRUCTIONS, SD_METRIC_RUN_DELAY,
	SD_METRIC_VOLUNTARY_SWITCHES, SD_METRIC_INVOLUNTARY_SWITCHES, SD_METRIC_MIGRATIONS,
	SD_METRIC_MINOR_FAULTS, SD_METRIC_MAJOR_FAULTS, SD_METRIC_BLKIO_WAIT, SD_METRIC_BLOCK_READ,
	SD_METRIC_BLOCK_WRITTEN, SD_METRIC_POLLS, SD_METRIC_POLL_CPU};

static void add_value(struct sd_value *to, const struct sd_value *v)
{
	if (!sd_has(*to))
		return;
	if (sd_has(*v))
		to->value += v->value;
	else
		*to = *v;
}

static void keep_largest(struct sd_value *to, const struct sd_value *v)
{
	if (sd_has(*v) && (!sd_has(*to) || v->value > to->value))
		*to = *v;
}

static void add_to_host(struct sd_mpi_run *m, const char *name, const struct sd_run *part)
{
	for (size_t i = 0; m && i < m->n_host; i++) {
		struct sd_mpi_host *const h = &m->host[i];

		if (strncmp(h->name, name, sizeof h->name - 1) != 0)
			continue;
		if (!h->agents++)
			h->user = h->system = h->run_delay = SD_OK(0);
		add_value(&h->user, &part->metric[SD_METRIC_USER]);
		add_value(&h->system, &part->metric[SD_METRIC_SYSTEM]);
		add_value(&h->run_delay, &part->metric[SD_METRIC_RUN_DELAY]);
		keep_largest(&h->max_rss, &part->metric[SD_METRIC_MAX_RSS]);
		return;
	}
}

/* The threads with the most CPU time stay, whichever part they are of. */
static int add_threads(struct sd_run *run, const struct sd_run *part)
{
	const size_t n = run->n_thread + part->n_thread;
	struct sd_thread *const more = realloc(run->thread, (n + 1) * sizeof *more);

	if (!more)
		return -ENOMEM;
	run->thread = more;
	if (part->n_thread)
		memcpy(more + run->n_thread, part->thread, part->n_thread * sizeof *more);
	run->n_thread = n;
	run->n_thread_seen += part->n_thread_seen;
	while (run->n_thread > SD_RUN_THREADS) {
		size_t least = 0;

		for (size_t i = 1; i < run->n_thread; i++)
			if (more[i].cpu.value < more[least].cpu.value)
				least = i;
		more[least] = more[--run->n_thread];
	}
	return 0;
}

/* The launcher alone was seen there: what its cores did not do says nothing of the ranks'. */
static void begin(struct sd_run *run)
{
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		run->idle[i] = SD_OK(0);
	free(run->concurrency);
	run->concurrency = NULL;
	run->n_concurrency = 0;
	for (size_t i = 0; i < run->n_role; i++)
		if (run->role[i].scope == SD_SCOPE_THREAD)
			run->role[i].value = SD_NOT(UNSUPPORTED);
}

static int add_part(struct sd_run *run, struct sd_sampled_sum *sampled, const struct sd_record *of)
{
	const struct sd_run *const part = &of->run[0];

	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		add_value(&run->metric[added[i]], &part->metric[added[i]]);
	keep_largest(&run->metric[SD_METRIC_MAX_RSS], &part->metric[SD_METRIC_MAX_RSS]);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		add_value(&run->idle[i], &part->idle[i]);
	add_to_host(run->mpi, of->host.name, part);
	run->flags |= part->flags;
	if (add_threads(run, part))
		return -ENOMEM;
	return sd_sampled_sum_add(sampled, &part->sampled, &of->stacks);
}

static int ends_with(const char *name, const char *end)
{
	const size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

/* Hands each part to `take`, which may end it with an error. One that cannot be read is lost. 0 or
 * -ENOMEM. */
static int each_part(const char *folder, int (*take)(void *ctx, const struct sd_record *part),
	void *ctx, const struct sd_sink *sink)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;
	int rc = 0;

	while (d && !rc && (e = readdir(d))) {
		struct sd_record part;
		char *path;

		if (!ends_with(e->d_name, SD_RANK_PART_SUFFIX))
			continue;
		if (asprintf(&path, "%s/%s", folder, e->d_name) < 0) {
			rc = -ENOMEM;
			break;
		}
		rc = sd_record_read(path, &part, sink);
		if (!rc && part.n_run == 1) {
			rc = take(ctx, &part);
		} else if (rc != -ENOMEM) {
			sd_say(sink, SD_LEVEL_WARNING, "%s: what this rank agent measured is lost",
				path);
			rc = 0;
		}
		sd_record_free(&part);
		free(path);
	}
	if (d)
		closedir(d);
	return rc;
}

struct merging {
	struct sd_run *run;
	struct sd_sampled_sum sampled;
	size_t n;
};

static int merge_part(void *ctx, const struct sd_record *part)
{
	struct merging *const m = ctx;

	if (!m->n++)
		begin(m->run);
	return add_part(m->run, &m->sampled, part);
}

int sd_rank_parts_merge(const char *folder, struct sd_run *run, struct sd_stacks *stacks,
	const struct sd_sink *sink)
{
	struct merging m = {.run = run, .sampled.stacks = stacks};
	int rc = sd_sampled_sum_begin(&m.sampled, &run->sampled);

	rc = rc ? rc : each_part(folder, merge_part, &m, sink);
	if (!rc && m.n)
		rc = sd_sampled_sum_end(&m.sampled, &run->sampled);
	sd_sampled_sum_free(&m.sampled);
	return rc;
}

static int keep_first_death(void *ctx, const struct sd_record *part)
{
	const struct sd_run *const run = &part->run[0];
	struct sd_rank_death *const first = ctx;
	const double end = run->start + (sd_has(sd_run_whole(run)) ? sd_run_whole(run).value : 0);

	if (run->end != SD_END_SIGNALLED || (first->signal && end >= first->end))
		return 0;
	first->signal = run->code;
	first->end = end;
	snprintf(first->node, sizeof first->node, "%.*s", (int)sizeof first->node - 1,
		part->host.name);
	return 0;
}

int sd_rank_parts_first_death(const char *folder, struct sd_rank_death *first)
{
	const struct sd_sink silent = {0};

	*first = (struct sd_rank_death){0};
	(void)each_part(folder, keep_first_death, first, &silent);
	return first->signal != 0;
}

void sd_rank_parts_remove(const char *folder)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (ends_with(e->d_name, SD_RANK_PART_SUFFIX) || ends_with(e->d_name, ".mpi"))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}
