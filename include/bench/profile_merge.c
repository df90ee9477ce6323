#include "bench/profile_merge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "bench/bandwidth_ceilings.h"
#include "bench/profile_pairs.h"
#include "bench/profile_pick.h"

/* Calibrations that a number's median is taken of; of more, the first. */
#define CALIBRATIONS_MAX 64u

static void add_states(struct sd_machine_states *to, const struct sd_machine_states *from)
{
	for (unsigned i = 0; i < from->n; i++) {
		unsigned k = 0;

		while (k < to->n && !sd_kernel_states_same(to->line[k], from->line[i]))
			k++;
		if (k == SD_STATES_MAX)
			continue;
		if (k == to->n) {
			to->n++;
			to->line[k] = from->line[i];
			to->split[k][0] = from->split[i][0];
			to->split[k][1] = from->split[i][1];
		}
		to->seen[k] += from->seen[i];
	}
}

/* The rows that none of the calibrations before has; without `but`, a kernel (NULL: all). */
static int add_rows(struct sd_profile *out, const struct sd_profile *from, const char *but)
{
	for (size_t i = 0; i < from->rows.n; i++) {
		struct sd_bench_row r = from->rows.row[i];
		const int state = sd_profile_same_state(&from->states, &out->states, r.state);

		if (state < 0 || (but && strcmp(r.kernel, but) == 0) ||
			sd_profile_counterpart(from, i, out))
			continue;
		r.state = (unsigned)state;
		if (sd_bench_rows_add(&out->rows, &r))
			return -ENOMEM;
	}
	return 0;
}

static double middle(double *v, size_t n)
{
	const double high = sd_statistics_select(v, n, n / 2);

	return n % 2 ? high : (high + sd_statistics_select(v, n, n / 2 - 1)) / 2;
}

/* The standard deviation of ln(v), v > 0; 0 of fewer than two. */
static double spread_of(const double *v, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!(v[i] > 0))
			return 0;
	for (size_t i = 0; i < n; i++)
		mean += log(v[i]) / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (log(v[i]) - mean) * (log(v[i]) - mean);
	return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* One calibration's number into those before it. */
static void widen(struct sd_bench_row *r, const struct sd_bench_row *c, int is_first)
{
	if (is_first) {
		const unsigned state = r->state;

		*r = *c;
		r->state = state;
		return;
	}
	r->low = fmin(r->low, c->low);
	r->q1 = fmin(r->q1, c->q1);
	r->q3 = fmax(r->q3, c->q3);
	r->high = fmax(r->high, c->high);
	r->n += c->n;
	r->dropped += c->dropped;
}

/* Is one of its counterparts a number that nothing disturbed? */
static int has_quiet(const struct sd_profile *out, size_t i, const struct sd_profile *one, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const struct sd_bench_row *const c = sd_profile_counterpart(out, i, &one[k]);

		if (c && sd_bench_row_value(c).status == SD_STATUS_OK)
			return 1;
	}
	return 0;
}

/* `quiet`: numbers that were disturbed are left out. Returns how many there are; 0: why, as the
 * first said it. */
static size_t merge_row(
	struct sd_profile *out, size_t i, const struct sd_profile *one, size_t n, int quiet)
{
	struct sd_bench_row r = out->rows.row[i];
	double median[CALIBRATIONS_MAX];
	size_t m = 0, noisy = 0, dropped = 0;

	for (size_t k = 0; k < n && m < CALIBRATIONS_MAX; k++) {
		const struct sd_bench_row *const c = sd_profile_counterpart(out, i, &one[k]);

		if (!c || !sd_bench_row_has(c))
			continue;
		if (quiet && c->status == SD_STATUS_NOISY) {
			dropped += c->n + c->dropped;
			continue;
		}
		widen(&r, c, m == 0);
		noisy += c->status == SD_STATUS_NOISY;
		median[m++] = c->median;
	}
	if (m == 0)
		return 0;
	r.dropped += dropped;
	r.between = spread_of(median, m);
	r.median = middle(median, m);
	r.status = 2 * noisy > m ? SD_STATUS_NOISY : SD_STATUS_OK;
	if (r.status == SD_STATUS_OK)
		r.why[0] = '\0';
	/* kept apart: the order of the sweep that others are paired by is the rows' own */
	r.parameter = out->rows.row[i].parameter;
	out->rows.row[i] = r;
	return m;
}

static struct sd_value mean_of(struct sd_value a, struct sd_value b, size_t n)
{
	return sd_has(a) && sd_has(b) ? SD_OK(a.value + b.value / (double)n) : SD_NOT(ABSENT);
}

int sd_profile_merge(const struct sd_profile *one, size_t n, struct sd_profile *out)
{
	struct sd_profile all = one[0];
	int rc = 0;

	all.rows = (struct sd_bench_rows){0};
	all.names = (struct sd_texts){0};
	all.states = (struct sd_machine_states){0};
	all.seconds = 0;
	all.calibrations = (unsigned)n;
	all.quiet.steal = all.quiet.psi_cpu = SD_OK(0);
	for (size_t k = 0; rc == 0 && k < n; k++) {
		add_states(&all.states, &one[k].states);
		all.seconds += one[k].seconds;
		all.blocks = one[k].blocks < all.blocks ? one[k].blocks : all.blocks;
		all.quiet.steal = mean_of(all.quiet.steal, one[k].quiet.steal, n);
		all.quiet.psi_cpu = mean_of(all.quiet.psi_cpu, one[k].quiet.psi_cpu, n);
	}
	for (size_t k = 0; rc == 0 && k < n; k++)
		rc = add_rows(&all, &one[k], NULL);
	for (size_t i = 0; rc == 0 && i < all.rows.n; i++)
		all.rows.row[i].calibrations = (unsigned)merge_row(&all, i, one, n, 0);
	sd_bench_rows_by_state(&all.rows, &all.states);
	sd_profile_count(&all);
	if (rc)
		sd_profile_free(&all);
	*out = all;
	return rc;
}

int sd_profile_merge_blocks(const struct sd_bench_rows *block, size_t n,
	const struct sd_machine_states *states, struct sd_bench_rows *rows)
{
	struct sd_profile *const one = calloc(n, sizeof *one);
	struct sd_profile all = {.states = *states};
	int rc = one ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < n; k++) {
		one[k].states = *states;
		one[k].rows = block[k];
		rc = add_rows(&all, &one[k], SD_CEILING_KERNEL);
	}
	for (size_t i = 0; rc == 0 && i < all.rows.n; i++) {
		merge_row(&all, i, one, n, has_quiet(&all, i, one, n));
		all.rows.row[i].between = 0; /* of calibrations */
	}
	if (rc == 0)
		rc = sd_bandwidth_ceilings_add(&all.rows, 0);
	if (rc)
		sd_bench_rows_free(&all.rows);
	free(one);
	*rows = all.rows;
	return rc;
}
