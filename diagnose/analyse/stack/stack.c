#include "stack/stack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel_for.h"
#include "base/statistics.h"
#include "runs/bootstrap.h"

/* Inputs that all points have in common. */
struct common {
	const struct sd_run_selection *choice;
	const struct sd_model *model;
	struct sd_account *ref; /* the reference, one a resample */
	size_t n_ref;           /* the most resamples of a point that are drawn, not paired */
	size_t rows, runs;      /* the most resamples and runs of a point */
	uint64_t seed;
	struct sd_analysis *out;
	struct sd_loss *loss; /* of the last point */
	struct work *work;    /* [threads] */
	unsigned threads;
};

/* Working memory of a thread. */
struct work {
	const struct common *c;
	double *column;  /* SD_COMPONENT_COUNT + 2 columns of `rows` */
	unsigned *times; /* how often each run was drawn */
};

enum { COLUMN_TIME = SD_COMPONENT_COUNT, COLUMN_SPEEDUP, COLUMNS };

/* Uses the point's mechanisms where a resample or a single run has none. */
static void keep_mechanisms(const struct sd_chosen *p, struct sd_run_parts *out)
{
	memcpy(out->stall, p->mean.stall, sizeof out->stall);
	out->spin = p->mean.spin;
	out->spin_instructions = p->mean.spin_instructions;
}

/* One resample of a point: runs drawn with replacement, their median time and mean fractions. */
static void draw(const struct sd_model *model, const struct sd_chosen *p, struct sd_random *random,
	unsigned *times, struct sd_run_parts *out)
{
	*out = (struct sd_run_parts){.time = sd_bootstrap_point(p, random, times)};
	keep_mechanisms(p, out);
	/* of wall times alone there is nothing to take a mean of */
	if (p->known)
		sd_run_selection_mean(p, times, out);
	if (p->known & (SD_RUN_PARTS_STALLS | SD_RUN_PARTS_SPIN))
		sd_metric_eval_mechanisms(model, p, times, out);
}

static int few(const struct sd_run_selection *c, size_t point)
{
	return sd_bootstrap_runs(&c->point[0], &c->point[point]) < SD_STATISTICS_FEW;
}

/* If neighbouring counts replace repeats, the range of the few runs has to do. */
static size_t runs_of_loss(const struct sd_run_selection *c)
{
	const size_t runs = sd_bootstrap_runs(&c->point[0], &c->point[c->n_point - 1]);

	return runs < 2 && c->n_point >= SD_RUN_SELECTION_CURVE ? 2 : runs;
}

static size_t resamples(const struct sd_run_selection *c, size_t point)
{
	size_t pairs = c->point[point].n_run * (point ? c->point[0].n_run : 1);

	return few(c, point) ? pairs : sd_bootstrap_draws(&c->point[0], &c->point[point]);
}

/* The accounts of resample `b` of a point that is compared with the reference. */
static const struct sd_account *resample(const struct work *w, size_t point, size_t b,
	struct sd_random *random, struct sd_account *ref, struct sd_account *now)
{
	const struct common *const c = w->c;
	const struct sd_chosen *p = &c->choice->point[point], *r = &c->choice->point[0];
	struct sd_run_parts parts;

	if (!few(c->choice, point)) {
		if (point == 0) {
			*now = c->ref[b];
		} else {
			draw(c->model, p, random, w->times, &parts);
			sd_account_make(now, p->n, p->known, &parts);
		}
		return &c->ref[b];
	}
	parts = p->parts[b % p->n_run];
	keep_mechanisms(p, &parts);
	sd_account_make(now, p->n, p->known, &parts);
	parts = r->parts[point ? b / p->n_run : b];
	keep_mechanisms(r, &parts);
	sd_account_make(ref, r->n, r->known, &parts);
	return ref;
}

static struct sd_interval scaled(struct sd_interval v, double factor)
{
	return (struct sd_interval){v.value * factor, v.low * factor, v.high * factor, v.status};
}

/* Serial fraction by Karp and Flatt, of the scaled speedup by Gustafson; p cores a
 * reference core. */
static double serial_fraction(double speedup, double p, int weak)
{
	return weak ? (p - speedup) / (p - 1) : (1 / speedup - 1 / p) / (1 - 1 / p);
}

static struct sd_interval karp_flatt(struct sd_interval s, double p, int weak)
{
	const double value = serial_fraction(s.value, p, weak);

	if (p <= 1)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (!sd_status_bounded(s))
		return sd_status_unbounded(value, s.status);
	return (struct sd_interval){
		.value = value,
		.low = serial_fraction(s.high, p, weak),
		.high = serial_fraction(s.low, p, weak),
		.status = s.status,
	};
}

/* The measured wall time, of the point's own runs only: with --rate the analysis uses another time,
 * and the reference may have fewer runs. */
static struct sd_interval wall(const struct sd_chosen *p, double *scratch)
{
	for (size_t j = 0; j < p->n_run; j++)
		scratch[j] = p->run[j]->metric[SD_METRIC_WALL].value;
	return sd_statistics_order_ratio(scratch, p->n_run);
}

static struct sd_interval times(double value, double *column, size_t n, size_t runs)
{
	return sd_statistics_widen_ratio(sd_statistics_interval(value, column, n, runs), runs);
}

/* A gain is no more than what the reference took of its own cores, which is worth its speedup. */
static struct sd_interval gain_within(struct sd_interval v, double most)
{
	if (isfinite(v.low) && isfinite(most))
		v.low = fmax(v.low, fmin(v.value, -most));
	return v;
}

static void summarise(
	struct work *w, size_t point, size_t n, const double *cores, struct sd_point *out)
{
	const struct sd_run_selection *const choice = w->c->choice;
	const struct sd_chosen *p = &choice->point[point], *r = &choice->point[0];
	const size_t rows = w->c->rows;
	double speedup = p->work * r->median_time / p->median_time;
	const size_t runs = sd_bootstrap_runs(r, p);
	/* means are of these */
	const size_t typical = r->exact || p->exact          ? runs
			       : r->n_typical < p->n_typical ? r->n_typical
							     : p->n_typical;
	unsigned long set = sd_account_components(r->known, p->known);

	/* the reference's is 1 by definition, of one run as well */
	out->speedup = point == 0
			       ? (struct sd_interval){1, 1, 1, SD_STATUS_OK}
			       : times(speedup, w->column + (size_t)COLUMN_SPEEDUP * rows, n, runs);
	out->efficiency = scaled(out->speedup, (double)r->n / p->n);
	/* caches may make the work worth more than all cores, losses are parts of them */
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (set >> k & 1)
			out->stack[k] =
				gain_within(sd_statistics_widen_part(
						    sd_statistics_interval(cores[k],
							    w->column + (size_t)k * rows, n, runs),
						    typical < runs ? typical : runs,
						    k == SD_COMPONENT_USEFUL ? INFINITY : p->n),
					out->speedup.high * r->n);
	if (point > 0)
		out->karp_flatt = karp_flatt(out->speedup, (double)p->n / r->n, p->work > 1);
	if (choice->rates || few(choice, point))
		out->wall = wall(p, w->column);
	else
		out->wall = times(p->median_time, w->column + (size_t)COLUMN_TIME * rows, n,
			sd_bootstrap_runs(p, p));
}

static void point_fill(void *of, size_t point, unsigned thread)
{
	const struct common *const c = of;
	struct work *const w = &c->work[thread];
	const struct sd_chosen *p = &c->choice->point[point], *r = &c->choice->point[0];
	struct sd_point *const out = &c->out->point[point];
	struct sd_loss *const loss = point + 1 == c->choice->n_point ? c->loss : NULL;
	const size_t n = resamples(c->choice, point), rows = c->rows;
	struct sd_account ref, now;
	double cores[SD_COMPONENT_COUNT];
	struct sd_random random;

	sd_random_seed(&random, c->seed, point);
	for (size_t b = 0; b < n; b++) {
		const struct sd_account *from = resample(w, point, b, &random, &ref, &now);

		sd_account_stack(from, &now, p->work, cores);
		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			w->column[(size_t)k * rows + b] = cores[k];
		w->column[(size_t)COLUMN_TIME * rows + b] = now.time;
		w->column[(size_t)COLUMN_SPEEDUP * rows + b] = p->work * from->time / now.time;
		if (!loss)
			continue;
		memcpy(loss->stack_sample + b * SD_COMPONENT_COUNT, cores, sizeof cores);
		sd_account_added(from, &now, p->work, loss->added_sample + b * SD_COMPONENT_COUNT);
	}
	sd_account_make(&ref, r->n, r->known, &r->mean);
	sd_account_make(&now, p->n, p->known, &p->mean);
	if (loss)
		sd_account_added(&ref, &now, p->work, loss->added);
	sd_account_stack(&ref, &now, p->work, cores);
	if (loss)
		memcpy(loss->stack, cores, sizeof cores);
	*out = (struct sd_point){
		.cores = p->cores,
		.n = p->n,
		.runs = p->n_run,
		.exact = p->exact,
		.runs_other = p->n_other,
		.runs_outlying = p->n_run - p->n_typical,
	};
	summarise(w, point, n, cores, out);
}

/* Formulas are evaluated in one place: points whose runs need them are one thread's. */
static int needs_formulas(const struct sd_chosen *p)
{
	return (p->known & (SD_RUN_PARTS_STALLS | SD_RUN_PARTS_SPIN)) != 0;
}

static void share(void *of, size_t point, unsigned thread)
{
	const struct common *const c = of;

	if (!needs_formulas(&c->choice->point[point]))
		point_fill(of, point, thread);
}

static int give_memory(struct common *c)
{
	const struct sd_run_selection *const choice = c->choice;

	for (size_t i = 0; i < choice->n_point; i++) {
		const size_t n = resamples(choice, i), runs = choice->point[i].n_run;

		c->runs = runs > c->runs ? runs : c->runs;
		c->rows = n > c->rows ? n : c->rows;
		if (!few(choice, i))
			c->n_ref = n > c->n_ref ? n : c->n_ref;
	}
	c->n_ref += c->n_ref == 0;
	c->runs += c->runs == 0; /* never: points without runs were dropped */
	c->rows = c->runs > c->rows ? c->runs : c->rows;
	c->loss->added_sample = calloc(c->rows * SD_COMPONENT_COUNT, sizeof(double));
	c->loss->stack_sample = calloc(c->rows * SD_COMPONENT_COUNT, sizeof(double));
	c->ref = calloc(c->n_ref, sizeof *c->ref);
	c->threads = sd_parallel_for_threads();
	c->work = calloc(c->threads, sizeof *c->work);
	if (!c->loss->added_sample || !c->loss->stack_sample || !c->ref || !c->work)
		return -ENOMEM;
	for (unsigned t = 0; t < c->threads; t++) {
		c->work[t] = (struct work){.c = c,
			.column = calloc((size_t)COLUMNS * c->rows, sizeof(double)),
			.times = calloc(c->runs, sizeof(unsigned))};
		if (!c->work[t].column || !c->work[t].times)
			return -ENOMEM;
	}
	return 0;
}

static void draw_reference(const struct common *c)
{
	const struct sd_chosen *const r = &c->choice->point[0];
	struct sd_random random;
	struct sd_run_parts parts;

	if (sd_bootstrap_runs(r, r) < SD_STATISTICS_FEW)
		return;
	sd_random_seed(&random, c->seed, 0);
	for (size_t b = 0; b < c->n_ref; b++) {
		draw(c->model, r, &random, c->work[0].times, &parts);
		sd_account_make(&c->ref[b], r->n, r->known, &parts);
	}
}

int sd_stack_fill(const struct sd_run_selection *choice, const struct sd_model *model,
	uint64_t seed, struct sd_analysis *out, struct sd_loss *loss)
{
	const struct sd_chosen *r = &choice->point[0], *last = &choice->point[choice->n_point - 1];
	struct common c = {
		.choice = choice, .model = model, .seed = seed, .out = out, .loss = loss};
	int rc;

	*loss = (struct sd_loss){
		.n = last->n,
		.known_ref = r->known,
		.known = last->known,
		.components = sd_account_components(r->known, last->known),
		.n_sample = resamples(choice, choice->n_point - 1),
		.runs = runs_of_loss(choice),
	};
	rc = give_memory(&c);
	if (rc == 0) {
		draw_reference(&c);
		/* the points have streams of their own: no resample depends on another point */
		sd_parallel_for(choice->n_point, c.threads, share, &c);
	}
	for (size_t i = 0; rc == 0 && i < choice->n_point; i++) {
		if (needs_formulas(&choice->point[i]))
			point_fill(&c, i, 0);
		if (!few(choice, i))
			out->bootstraps = resamples(choice, i);
	}
	for (unsigned t = 0; c.work && t < c.threads; t++) {
		free(c.work[t].column);
		free(c.work[t].times);
	}
	free(c.work);
	free(c.ref);
	return rc;
}

void sd_loss_free(struct sd_loss *loss)
{
	free(loss->added_sample);
	free(loss->stack_sample);
	*loss = (struct sd_loss){0};
}
