#include "metrics/metric_intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

/* Fewer than for the stack: no verdict hangs on the interval of a metric. */
#define RESAMPLES 200

/* The streams of the stack's bootstrap are the numbers of the points. */
#define STREAM 1000000

struct column {
	const struct sd_formula *row;
	struct sd_metric_eval_result result;
	double *sample; /* RESAMPLES */
	size_t n;
};

static void add_sample(
	const struct sd_model *m, const struct sd_metric_eval_point *p, struct column *c)
{
	struct sd_metric_eval_result r = sd_metric_eval_evaluate(m, p, c->row);

	if (sd_has((struct sd_value){0, r.status}))
		c->sample[c->n++] = r.value;
}

/* Single runs, or runs drawn with replacement. */
static void resample(const struct sd_model *m, const struct sd_chosen *p, struct sd_random *random,
	unsigned *times, struct column *column, size_t n)
{
	size_t rounds = p->n_run < SD_STATISTICS_FEW ? p->n_run : RESAMPLES;
	struct sd_metric_eval_point point = {0};

	for (size_t b = 0; b < rounds; b++) {
		memset(times, 0, p->n_run * sizeof *times);
		if (p->n_run < SD_STATISTICS_FEW)
			times[b] = 1;
		else
			for (size_t j = 0; j < p->n_run; j++)
				times[sd_random_below(random, p->n_run)]++;
		sd_metric_eval_point(m, p, times, &point);
		for (size_t i = 0; i < n; i++)
			add_sample(m, &point, &column[i]);
	}
}

static struct sd_shown shown(const struct sd_chosen *p, struct column *c)
{
	struct sd_shown s = {
		.name = c->row->name,
		.unit = c->row->unit,
		.source = "counters",
		.meaning = c->row->meaning,
		.reference = c->row->source,
		.advice = c->row->advice,
		.part_of = c->row->part_of,
		.quality = c->result.quality,
		.over = c->result.over,
		.shared = c->result.shared,
	};

	s.value = sd_statistics_widen(
		sd_statistics_interval(c->result.value, c->sample, c->n, p->n_run), p->n_run);
	/* no single run has all its counts: a value without an interval */
	if (c->n == 0)
		s.value = sd_status_unbounded(c->result.value, SD_STATUS_NOISY);
	s.multiplexed = c->result.status == SD_STATUS_MULTIPLEXED;
	if (c->result.status != SD_STATUS_OK)
		s.value.status = SD_STATUS_NOISY;
	return s;
}

/* The metrics that this point has. */
static size_t choose(
	/* NOLINTNEXTLINE(readability-non-const-parameter): the columns write to the samples */
	const struct sd_model *m, const struct sd_chosen *p, struct column *column, double *samples)
{
	struct sd_metric_eval_point point = {0};
	size_t n = 0;

	sd_metric_eval_point(m, p, NULL, &point);
	for (unsigned id = 0; id < m->f->n_name; id++) {
		struct sd_metric_eval_result r;

		if (!m->row[id])
			continue;
		r = sd_metric_eval_evaluate(m, &point, m->row[id]);
		if (!sd_has((struct sd_value){0, r.status}))
			continue;
		column[n] = (struct column){
			.row = m->row[id], .result = r, .sample = samples + n * RESAMPLES};
		n++;
	}
	return n;
}

static void append(struct sd_point *point, const struct sd_shown *s)
{
	/* a row of the same name from the kernel's own counters gives way */
	for (size_t i = 0; i < point->n_shown; i++)
		if (strcmp(point->shown[i].name, s->name) == 0) {
			point->shown[i] = *s;
			return;
		}
	point->shown[point->n_shown++] = *s;
}

int sd_metric_intervals_fill(const struct sd_model *m, const struct sd_chosen *p, uint64_t seed,
	size_t stream, struct sd_point *point)
{
	size_t most = m->row ? m->f->n_name : 0, n;
	struct column *column = calloc(most + 1, sizeof *column);
	double *samples = calloc((most + 1) * RESAMPLES, sizeof *samples);
	unsigned *times = calloc(p->n_run + 1, sizeof *times);
	struct sd_shown *grown = NULL;
	struct sd_random random;
	struct sd_value spread;
	int rc = -ENOMEM;

	if (m->row)
		grown = realloc(point->shown, (point->n_shown + most + 1) * sizeof *grown);
	if (grown)
		point->shown = grown;
	if (!column || !samples || !times || (m->row && !grown))
		goto out;
	rc = 0;
	if (!m->row)
		goto out;
	n = choose(m, p, column, samples);
	sd_random_seed(&random, seed, STREAM + stream);
	resample(m, p, &random, times, column, n);
	for (size_t i = 0; i < n; i++) {
		struct sd_shown s = shown(p, &column[i]);

		append(point, &s);
	}
	spread = sd_role_counts_spread(p);
	if (sd_has(spread))
		point->shown[point->n_shown++] = (struct sd_shown){
			.name = "pass-spread",
			.unit = "%",
			.source = "counters",
			.meaning = "how much the clock differs between passes over the counters",
			.value = sd_status_unbounded(100 * spread.value, SD_STATUS_OK),
		};
out:
	free(column);
	free(samples);
	free(times);
	return rc;
}
