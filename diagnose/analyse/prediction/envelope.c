#include "prediction/envelope.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel_for.h"
#include "base/statistics.h"
#include "runs/bootstrap.h"

/* Each law as it is, and moved through the last count. */
#define WAYS (2 * SD_MODEL_LAWS)

/* The streams of the stack are those of the points; the losses have their own. */
#define STREAM UINT64_C(0x70617374)

/* Measurements that all counts must share for their parts to be followed. */
#define KNOWN                                                                               \
	(SD_RUN_PARTS_CPU | SD_RUN_PARTS_SPLIT | SD_RUN_PARTS_POLLER | SD_RUN_PARTS_STEAL | \
		SD_RUN_PARTS_QUOTA | SD_RUN_PARTS_QUEUE | SD_RUN_PARTS_MPI |                \
		SD_RUN_PARTS_SAMPLED | SD_RUN_PARTS_KERNEL)

/* The least time at n >= last_n cores: no more than in proportion from the last count. */
static double least_time(const struct sd_limits *l, double n)
{
	double floor = l->last_time * l->last_n / n;

	floor = fmax(floor, fmin(l->last_time, fmax(l->serial, l->lock)));
	/* a program that gets more than the ceiling shows that this one is not its own */
	if (l->bytes > 0 && l->ceiling > 0)
		floor = fmax(floor,
			fmin(l->last_time,
				l->bytes / (l->ceiling + fmax(0, l->slope) * (n - l->ceiling_n))));
	return floor;
}

/* One point of the spans from its runs, each taken times[j] times (NULL: once). */
static void span(const struct sd_envelope *e, size_t i, double time, const unsigned *times,
	struct sd_spans *s)
{
	const struct sd_chosen *p = &e->choice->point[e->fit[i]];
	struct sd_run_parts mean = {0};

	if (e->spans.parts)
		sd_run_selection_mean(p, times, &mean);
	s->n[i] = p->n;
	s->total[i] = p->n * time / p->work;
	for (int k = 0; k < SD_PART_COUNT; k++)
		s->part[k][i] = mean.part[k] * s->total[i];
}

void sd_envelope_spans(struct sd_envelope *e)
{
	const unsigned known = e->choice->point[e->fit[0]].known & KNOWN;

	e->spans = (struct sd_spans){.count = e->n_fit, .weak = e->weak};
	e->spans.parts = (known & SD_RUN_PARTS_CPU) != 0;
	for (size_t i = 0; i < e->n_fit; i++) {
		const struct sd_chosen *p = &e->choice->point[e->fit[i]];

		e->spans.parts &= (p->known & KNOWN) == known;
		span(e, i, p->median_time, NULL, &e->spans);
	}
	e->missed = sd_law_models_missed(&e->spans);
}

/* Seconds at n by every law in both ways; NAN where it has none. */
static void ways(const struct sd_limits *limits, const struct sd_spans *s,
	const struct sd_law_models *m, double n, double out[WAYS])
{
	const size_t last = s->count - 1;
	const double measured = s->total[last] / s->n[last];
	double floor = n < s->n[last] ? 0 : least_time(limits, n);

	/* a resample is held against its own last count */
	if (n >= s->n[last])
		floor = fmax(floor * measured / limits->last_time, measured * s->n[last] / n);
	for (int law = 0; law < SD_MODEL_LAWS; law++) {
		double time = NAN, there = NAN;

		if (m->has >> law & 1) {
			time = sd_law_models_time(m, (enum sd_model_law)law, n);
			there = sd_law_models_time(m, (enum sd_model_law)law, s->n[last]);
		}
		out[2 * law] = time > 0 ? fmax(time, floor) : NAN;
		out[2 * law + 1] =
			time > 0 && there > 0 ? fmax(time * measured / there, floor) : NAN;
	}
}

/* Factor >= 1 by which the error `missed`, of predicting the last count, widens at n cores. */
static double widening(const struct sd_spans *s, double missed, double n)
{
	const size_t last = s->count - 1;

	return exp(missed * fmax(0, log(n / s->n[last])) / log(s->n[last] / s->n[last - 1]));
}

int sd_envelope_band(const struct sd_limits *limits, const struct sd_spans *s, double missed,
	double n, double *low, double *high)
{
	struct sd_law_models m;
	double time[WAYS], wider;

	*low = INFINITY;
	*high = 0;
	sd_law_models_fit(s, &m);
	ways(limits, s, &m, n, time);
	for (int i = 0; i < WAYS; i++) {
		*low = fmin(*low, time[i]);
		*high = fmax(*high, time[i]);
	}
	if (!(*high > 0) || !isfinite(missed))
		return -ENODATA;
	wider = widening(s, missed, n);
	*low /= wider;
	*high *= wider;
	if (n >= s->n[s->count - 1])
		*low = fmax(*low, least_time(limits, n));
	return 0;
}

/* One resample; `few`: too few runs somewhere for more than one of them at a time. */
static void draw(const struct sd_envelope *e, struct sd_random *random, int few, unsigned *times,
	struct sd_spans *out, double *reference)
{
	for (size_t i = 0; i < e->n_fit; i++) {
		const struct sd_chosen *p = &e->choice->point[e->fit[i]];
		double time;

		if (few) {
			size_t j = sd_random_below(random, p->n_run);

			memset(times, 0, p->n_run * sizeof *times);
			times[j] = 1;
			time = p->parts[j].time;
		} else {
			time = sd_bootstrap_point(p, random, times);
		}
		span(e, i, time, times, out);
	}
	*reference = e->choice->point[0].median_time;
	if (e->fit[0] == 0)
		*reference = out->total[0] / out->n[0];
}

/* The speedups of one way: its interval joins the envelope; `seen`: the highest before few runs
 * widen it. */
static void join(
	struct sd_interval *all, double *seen, double value, double *sample, size_t n, size_t runs)
{
	struct sd_interval one;
	size_t kept = 0;

	for (size_t b = 0; b < n; b++)
		if (sample[b] > 0)
			sample[kept++] = sample[b];
	if (!(value > 0) || kept == 0)
		return;
	one = sd_statistics_interval(value, sample, kept, runs);
	*seen = fmax(*seen, one.high);
	one = sd_statistics_widen_ratio(one, runs);
	if (all->status != SD_STATUS_OK) {
		*all = one;
		return;
	}
	all->low = fmin(all->low, one.low);
	all->high = fmax(all->high, one.high);
}

/* The envelope at one count from its samples, [way][resample]. */
static struct sd_interval envelope(const struct sd_envelope *e, const struct sd_law_models *m,
	double n, double *sample, size_t runs)
{
	const double reference = e->choice->point[0].median_time;
	const double most = reference / least_time(e->limits, n);
	struct sd_interval all = {.status = SD_STATUS_ABSENT};
	double time[WAYS], middle[WAYS], wider, seen = 0;
	size_t known = 0;

	ways(e->limits, &e->spans, m, n, time);
	for (int i = 0; i < WAYS; i++) {
		join(&all, &seen, reference / time[i], sample + (size_t)i * SD_ENVELOPE_DRAWS,
			SD_ENVELOPE_DRAWS, runs);
		if (time[i] > 0)
			middle[known++] = reference / time[i];
	}
	if (known == 0 || !isfinite(e->missed) || !sd_status_bounded(all))
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	wider = widening(&e->spans, e->missed, n);
	all.value = sd_statistics_median(middle, known);
	all.low /= wider;
	/* too few counts to choose a law: nor do they show that what fills up next is far */
	if (e->n_fit < SD_LAW_POINTS)
		all.low = fmin(all.low, reference / e->limits->last_time);
	all.high = fmax(all.value, fmin(all.high * wider, fmax(seen, most)));
	return all;
}

/* The resamples, in as many parts of one sequence as there are threads. */
struct drawing {
	const struct sd_envelope *e;
	const unsigned *cores;
	size_t n_cores;
	uint64_t seed;
	double *sample;          /* owned; [count][way][resample] */
	unsigned *times;         /* owned; [threads][most] */
	size_t least, most, all; /* runs of a point, and of all points */
	unsigned threads;
};

static void draw_part(void *of, size_t part, unsigned thread)
{
	const struct drawing *const w = of;
	const struct sd_envelope *const e = w->e;
	const int few = w->least < SD_STATISTICS_FEW;
	const size_t first = SD_ENVELOPE_DRAWS * part / w->threads;
	struct sd_spans drawn = e->spans;
	struct sd_random random;
	struct sd_law_models m;

	sd_random_seed(&random, w->seed, STREAM);
	sd_random_skip(&random, (uint64_t)first * (few ? e->n_fit : w->all));
	for (size_t b = first; b < SD_ENVELOPE_DRAWS * (part + 1) / w->threads; b++) {
		double reference, time[WAYS];

		draw(e, &random, few, w->times + thread * w->most, &drawn, &reference);
		sd_law_models_fit(&drawn, &m);
		for (size_t k = 0; k < w->n_cores; k++) {
			ways(e->limits, &drawn, &m, w->cores[k], time);
			for (size_t i = 0; i < WAYS; i++)
				w->sample[(k * WAYS + i) * SD_ENVELOPE_DRAWS + b] =
					reference / time[i];
		}
	}
}

int sd_envelope_fill(const struct sd_envelope *e, uint64_t seed, const unsigned *cores,
	size_t n_cores, struct sd_interval *speedup)
{
	const size_t rows = (size_t)WAYS * SD_ENVELOPE_DRAWS;
	struct drawing w = {.e = e,
		.cores = cores,
		.n_cores = n_cores,
		.seed = seed,
		.least = SIZE_MAX,
		.most = 1,
		.threads = sd_parallel_for_threads()};
	struct sd_law_models m;

	for (size_t i = 0; i < e->n_fit; i++) {
		const struct sd_chosen *p = &e->choice->point[e->fit[i]];

		w.most = p->n_run > w.most ? p->n_run : w.most;
		w.least = p->n_run < w.least ? p->n_run : w.least;
		w.all += p->n_run;
	}
	w.sample = calloc(rows * (n_cores + !n_cores), sizeof *w.sample);
	w.times = calloc(w.threads * w.most, sizeof *w.times);
	if (!w.sample || !w.times) {
		free(w.sample);
		free(w.times);
		return -ENOMEM;
	}
	sd_parallel_for(w.threads, w.threads, draw_part, &w);
	sd_law_models_fit(&e->spans, &m);
	for (size_t k = 0; k < n_cores; k++)
		speedup[k] = envelope(e, &m, cores[k], w.sample + k * rows, w.least);
	free(w.sample);
	free(w.times);
	return 0;
}
