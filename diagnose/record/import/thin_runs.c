#include "import/thin_runs.h"

#include <errno.h>
#include <stdlib.h>

#include "fields/fields.h"
#include "import/import.h"

/* A run with samples is the only one of its file. */
static int has_samples(const struct sd_run *run)
{
	return run->memory || run->sampled.status != SD_STATUS_ABSENT;
}

static unsigned most_kept(const struct sd_thin_runs *count)
{
	unsigned most = 0;

	for (unsigned cores = 0; cores <= SD_CPU_MAX; cores++)
		most = count[cores].kept > most ? count[cores].kept : most;
	return most;
}

/* Frees every second run of the counts that have more than half as many as the largest one. */
static void halve(struct sd_import *im)
{
	const unsigned most = most_kept(im->count);
	struct sd_record *const r = &im->record;
	size_t n = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		struct sd_thin_runs *const c = &im->count[im->cores[i]];

		if (c->kept > most / 2 && !has_samples(&r->run[i]) && c->next++ % 2) {
			sd_run_free(&r->run[i]);
			continue;
		}
		im->cores[n] = im->cores[i];
		r->run[n++] = r->run[i];
	}
	r->n_run = n;
	for (unsigned cores = 0; cores <= SD_CPU_MAX; cores++) {
		struct sd_thin_runs *const c = &im->count[cores];

		if (!c->next)
			continue;
		c->step = c->step ? 2 * c->step : 2;
		c->kept = (c->next + 1) / 2;
		c->next = 0;
	}
}

/* Few imports ever come here: up to now all runs were kept, and nobody counted. */
static int count_runs(struct sd_import *im)
{
	im->count = calloc(SD_CPU_MAX + 1, sizeof *im->count);
	if (!im->count)
		return -ENOMEM;
	for (size_t i = 0; i < im->record.n_run; i++) {
		struct sd_thin_runs *const c = &im->count[im->cores[i]];

		if (has_samples(&im->record.run[i]))
			continue;
		im->n_count += !c->given;
		c->given++;
		c->kept++;
	}
	return 0;
}

int sd_thin_runs_keeps(struct sd_import *im, unsigned cores, const struct sd_run *run)
{
	const int is_full = im->record.n_run >= SD_THIN_RUNS_MOST;
	struct sd_thin_runs *c;

	if (has_samples(run) || (!is_full && !im->count))
		return 1;
	if (!im->count && count_runs(im))
		return -ENOMEM;
	c = &im->count[cores];
	im->n_count += !c->given;
	if (im->n_count > SD_RECORD_POINTS)
		return -EINVAL;
	if (is_full)
		halve(im);
	if (c->given++ % (c->step ? c->step : 1))
		return 0;
	c->kept++;
	return 1;
}

int sd_thin_runs_say(struct sd_import *im, const struct sd_sink *sink)
{
	const size_t left_out = im->given - im->record.n_run;

	if (!left_out)
		return 0;
	sd_say(sink, SD_LEVEL_NOTE,
		"%zu runs are kept and %zu left out, spread evenly over those of a core count",
		im->record.n_run, left_out);
	return sd_texts_add(&im->record.warnings,
		"imported: %zu runs were left out, spread evenly over those of a core count",
		left_out);
}
