#include "runs/adjusted_efficiency.h"

#include <math.h>
#include <stdlib.h>

#include "record/disturbed_runs.h"
#include "base/statistics.h"

/* a(ref), a(last), b, c. */
#define TERMS 4

#define PRIOR_MEAN (-.5)
#define PRIOR_SD .5
#define HUBER 1.5
#define ROUNDS 8
/* Minimum scatter, 0.01 %: even equal times differ by that. */
#define SCATTER_LEAST 1e-4

struct row {
	double x[TERMS], y, weight;
};

struct fit {
	double term[TERMS];
	double covariance[TERMS][TERMS];
	double scatter; /* of ln time */
};

static int row_of(
	const struct sd_record *r, const struct sd_run *run, int last, unsigned n, struct row *out)
{
	const struct sd_value width = run->metric[SD_METRIC_WIDTH],
			      least = run->metric[SD_METRIC_WIDTH_LEAST];
	const double time = sd_run_selection_time(r, run);
	int known = 0;

	if (!sd_run_parts_usable(width) || !sd_run_parts_usable(least) || !(width.value > 0) ||
		!(least.value > 0) || !(time > 0) ||
		sd_disturbed_runs_share(run, n, &known) > SD_DISTURBED_RUNS_FROM)
		return 0;
	*out = (struct row){
		.x = {!last, last, log(width.value), last ? log(least.value / width.value) : 0},
		.y = log(time),
		.weight = 1};
	return 1;
}

static size_t rows_of(
	const struct sd_record *r, const struct sd_chosen *p, int last, struct row *out)
{
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++)
		n += (size_t)row_of(r, p->run[j], last, p->n, out + n);
	for (size_t j = 0; j < p->n_disturbed; j++)
		n += (size_t)row_of(r, p->disturbed[j], last, p->n, out + n);
	return n;
}

/* In place by Gauss and Jordan; a is symmetric and positive definite. */
static void invert(double a[TERMS][TERMS])
{
	for (int k = 0; k < TERMS; k++) {
		const double pivot = 1 / a[k][k];

		a[k][k] = 1;
		for (int j = 0; j < TERMS; j++)
			a[k][j] *= pivot;
		for (int i = 0; i < TERMS; i++) {
			const double f = a[i][k];

			if (i == k)
				continue;
			a[i][k] = 0;
			for (int j = 0; j < TERMS; j++)
				a[i][j] -= f * a[k][j];
		}
	}
}

static double residual(const struct fit *f, const struct row *v)
{
	double y = v->y;

	for (int k = 0; k < TERMS; k++)
		y -= f->term[k] * v->x[k];
	return y;
}

/* The posterior mean and covariance given the rows' scatter. */
static void solve(struct fit *f, const struct row *v, size_t n)
{
	const double precision = 1 / (f->scatter * f->scatter);
	double right[TERMS] = {0};

	for (int i = 0; i < TERMS; i++)
		for (int j = 0; j < TERMS; j++)
			f->covariance[i][j] = 0;
	for (int k = 2; k < TERMS; k++) {
		f->covariance[k][k] = 1 / (PRIOR_SD * PRIOR_SD);
		right[k] = PRIOR_MEAN / (PRIOR_SD * PRIOR_SD);
	}
	for (size_t m = 0; m < n; m++)
		for (int i = 0; i < TERMS; i++) {
			right[i] += precision * v[m].weight * v[m].x[i] * v[m].y;
			for (int j = 0; j < TERMS; j++)
				f->covariance[i][j] +=
					precision * v[m].weight * v[m].x[i] * v[m].x[j];
		}
	invert(f->covariance);
	for (int i = 0; i < TERMS; i++) {
		f->term[i] = 0;
		for (int j = 0; j < TERMS; j++)
			f->term[i] += f->covariance[i][j] * right[j];
	}
}

/* Updates the scatter and the rows' Huber weights. */
static void weigh(struct fit *f, struct row *v, size_t n)
{
	double sum = 0, weights = 0;

	for (size_t m = 0; m < n; m++) {
		const double e = residual(f, &v[m]);

		v[m].weight = fmin(1, HUBER * f->scatter / fmax(fabs(e), SCATTER_LEAST));
		sum += v[m].weight * e * e;
		weights += v[m].weight;
	}
	f->scatter = fmax(SCATTER_LEAST, sqrt(sum / fmax(1, weights - TERMS)));
}

struct sd_interval sd_adjusted_efficiency(
	const struct sd_record *r, const struct sd_chosen *ref, const struct sd_chosen *last)
{
	struct row *const v = calloc(
		ref->n_run + ref->n_disturbed + last->n_run + last->n_disturbed + 1, sizeof *v);
	struct fit f = {.scatter = 1};
	const double scale = last->work * ref->n / last->n;
	double value, half;
	size_t n_ref, n;

	if (!v)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	n_ref = rows_of(r, ref, 0, v);
	n = n_ref + rows_of(r, last, 1, v + n_ref);
	if (ref == last || n_ref < SD_ADJUSTED_EFFICIENCY_LEAST ||
		n - n_ref < SD_ADJUSTED_EFFICIENCY_LEAST) {
		free(v);
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	}
	for (int i = 0; i < ROUNDS; i++) {
		solve(&f, v, n);
		weigh(&f, v, n);
	}
	solve(&f, v, n);
	free(v);
	value = f.term[0] - f.term[1];
	half = sd_statistics_t(n - TERMS) *
	       sqrt(f.covariance[0][0] + f.covariance[1][1] - 2 * f.covariance[0][1]);
	return (struct sd_interval){scale * exp(value), scale * exp(value - half),
		scale * exp(value + half), SD_STATUS_OK};
}
