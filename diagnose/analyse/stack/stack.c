#include "stack/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runs/bootstrap.h"
#include "base/statistics.h"

/* Working memory of the bootstrap. */
struct work {
	const struct sd_run_selection *choice;
	const struct sd_model *model;
	struct sd_account *ref; /* the reference, one a resample */
	double *column;         /* SD_COMPONENT_COUNT + 2 columns of `rows` */
	unsigned *times;        /* how often each run was drawn */
	size_t rows;
	size_t n_ref; /* resamples in ref[] */
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

	return few(c, point) ? pairs : SD_BOOTSTRAP;
}

/* The accounts of resample `b` of a point that is compared with the reference. */
static const struct sd_account *resample(const struct work *w, size_t point, size_t b,
	struct sd_random *random, struct sd_account *ref, struct sd_account *now)
{
	const struct sd_chosen *p = &w->choice->point[point], *r = &w->choice->point[0];
	struct sd_run_parts parts;

	if (!few(w->choice, point)) {
		if (point == 0) {
			*now = w->ref[b];
		} else {
			draw(w->model, p, random, w->times, &parts);
			sd_account_make(now, p->n, p->known, &parts);
		}
		return &w->ref[b];
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

/* The measured wall time; with --rate the analysis uses another time. */
static struct sd_interval wall(const struct sd_chosen *p, double *scratch)
{
	for (size_t j = 0; j < p->n_run; j++)
		scratch[j] = p->run[j]->metric[SD_METRIC_WALL].value;
	return sd_statistics_order(scratch, p->n_run);
}

static void summarise(
	struct work *w, size_t point, size_t n, const double *cores, struct sd_point *out)
{
	const struct sd_chosen *p = &w->choice->point[point], *r = &w->choice->point[0];
	double speedup = p->work * r->median_time / p->median_time;
	const size_t runs = sd_bootstrap_runs(r, p);
	unsigned long set = sd_account_components(r->known, p->known);

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (set >> k & 1)
			out->stack[k] = sd_statistics_interval(
				cores[k], w->column + (size_t)k * w->rows, n, runs);
	/* the reference's is 1 by definition, of one run as well */
	out->speedup = point == 0 ? (struct sd_interval){1, 1, 1, SD_STATUS_OK}
				  : sd_statistics_interval(speedup,
					    w->column + (size_t)COLUMN_SPEEDUP * w->rows, n, runs);
	out->efficiency = scaled(out->speedup, (double)r->n / p->n);
	if (point > 0)
		out->karp_flatt = karp_flatt(out->speedup, (double)p->n / r->n, p->work > 1);
	if (w->choice->rates)
		out->wall = wall(p, w->column);
	else
		/* from its own runs only, whatever the reference has: at least their range */
		out->wall = sd_statistics_interval(p->median_time,
			w->column + (size_t)COLUMN_TIME * w->rows, n,
			p->n_run > 1 && runs < 2 ? 2 : runs);
}

static void point_fill(
	struct work *w, size_t point, uint64_t seed, struct sd_point *out, struct sd_loss *loss)
{
	const struct sd_chosen *p = &w->choice->point[point], *r = &w->choice->point[0];
	size_t n = resamples(w->choice, point);
	struct sd_account ref, now;
	double cores[SD_COMPONENT_COUNT];
	struct sd_random random;

	sd_random_seed(&random, seed, point);
	for (size_t b = 0; b < n; b++) {
		const struct sd_account *from = resample(w, point, b, &random, &ref, &now);

		sd_account_stack(from, &now, p->work, cores);
		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			w->column[(size_t)k * w->rows + b] = cores[k];
		w->column[(size_t)COLUMN_TIME * w->rows + b] = now.time;
		w->column[(size_t)COLUMN_SPEEDUP * w->rows + b] = p->work * from->time / now.time;
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
		.runs_other = p->n_other,
		.runs_outlying = p->n_run - p->n_typical,
	};
	summarise(w, point, n, cores, out);
}

static int prepare(struct work *w, uint64_t seed, struct sd_loss *loss)
{
	const struct sd_run_selection *c = w->choice;
	const struct sd_chosen *r = &c->point[0], *last = &c->point[c->n_point - 1];
	size_t runs = 0;
	struct sd_random random;
	struct sd_run_parts parts;

	for (size_t i = 0; i < c->n_point; i++) {
		size_t n = resamples(c, i);

		runs = c->point[i].n_run > runs ? c->point[i].n_run : runs;
		w->rows = n > w->rows ? n : w->rows;
	}
	runs += runs == 0; /* never: points without runs were dropped */
	w->rows = runs > w->rows ? runs : w->rows;
	*loss = (struct sd_loss){
		.n = last->n,
		.known_ref = r->known,
		.known = last->known,
		.components = sd_account_components(r->known, last->known),
		.n_sample = resamples(c, c->n_point - 1),
		.runs = runs_of_loss(c),
	};
	loss->added_sample = calloc(w->rows * SD_COMPONENT_COUNT, sizeof(double));
	loss->stack_sample = calloc(w->rows * SD_COMPONENT_COUNT, sizeof(double));
	w->ref = calloc(SD_BOOTSTRAP, sizeof *w->ref);
	w->column = calloc((size_t)COLUMNS * w->rows, sizeof *w->column);
	w->times = calloc(runs, sizeof *w->times);
	if (!loss->added_sample || !loss->stack_sample || !w->ref || !w->column || !w->times)
		return -ENOMEM;
	if (r->n_run < SD_STATISTICS_FEW)
		return 0;
	sd_random_seed(&random, seed, 0);
	for (size_t b = 0; b < SD_BOOTSTRAP; b++) {
		draw(w->model, r, &random, w->times, &parts);
		sd_account_make(&w->ref[b], r->n, r->known, &parts);
	}
	return 0;
}

int sd_stack_fill(const struct sd_run_selection *choice, const struct sd_model *model,
	uint64_t seed, struct sd_analysis *out, struct sd_loss *loss)
{
	struct work w = {.choice = choice, .model = model};
	int rc = prepare(&w, seed, loss);

	for (size_t i = 0; rc == 0 && i < choice->n_point; i++) {
		point_fill(&w, i, seed, &out->point[i], i + 1 == choice->n_point ? loss : NULL);
		if (!few(choice, i))
			out->bootstraps = SD_BOOTSTRAP;
	}
	free(w.ref);
	free(w.column);
	free(w.times);
	return rc;
}

void sd_loss_free(struct sd_loss *loss)
{
	free(loss->added_sample);
	free(loss->stack_sample);
	*loss = (struct sd_loss){0};
}
