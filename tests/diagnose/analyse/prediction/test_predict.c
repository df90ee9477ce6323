/*
 * Predictions for counts that were not measured: inside the envelope where something is known,
 * refused where nothing is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "support/near.h"

#include "support/analyse_record.h"
#include "base/cpulist.h"
#include "base/number.h"
#include "prediction/predict.h"

/* A record of wall times: `runs` runs a count with a spread of +-noise. */
static void times_make(struct sd_record *r, const unsigned *cores, const double *wall, size_t n,
	size_t runs, double noise)
{
	record_make(r, cores, n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < runs; k++)
			record_run(r, i, wall[i] * (1 + noise * ((double)k / (double)runs - .4)));
}

static double amdahl(unsigned n, double serial)
{
	return 10 * (serial + (1 - serial) / n);
}

static void amdahl_make(struct sd_record *r, const unsigned *cores, size_t n, double serial)
{
	double wall[16];

	for (size_t i = 0; i < n; i++)
		wall[i] = amdahl(cores[i], serial);
	times_make(r, cores, wall, n, 5, 0);
}

static const struct sd_predicted *at(const struct sd_analysis *a, unsigned cores)
{
	for (size_t i = 0; i < a->outlook.n_count; i++)
		if (a->outlook.count[i].cores == cores)
			return &a->outlook.count[i];
	return NULL;
}

static int holds(const struct sd_predicted *p, double speedup)
{
	return p && p->speedup.status == SD_STATUS_OK && p->speedup.low <= speedup * (1 + 1e-6) &&
	       p->speedup.high >= speedup * (1 - 1e-6);
}

static void exact_amdahl_times_give_a_tight_envelope_around_amdahls_law(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 8, 16};

	(void)state;
	for (size_t n = 4; n <= 5; n++) {
		const unsigned to = 2 * cores[n - 1];
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_predicted *p;

		amdahl_make(&r, cores, n, .05);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_null(a.outlook.refused);
		assert_int_equal(a.outlook.n_count, 1);
		p = at(&a, to);
		assert_true(holds(p, 10 / amdahl(to, .05)));
		if (n == 5)
			assert_true(p->speedup.high < 1.01 * p->speedup.low);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

enum { ROWS = 32 };

/* A published curve: counts and times. */
struct curve {
	unsigned cores[ROWS];
	double wall[ROWS];
	size_t n;
};

static void read_curve(const char *file, const char *set, int rate, struct curve *c)
{
	char path[256], line[256];
	FILE *f;

	snprintf(path, sizeof path, "tests/fixtures/published/%s", file);
	f = fopen(path, "r");
	assert_non_null(f);
	c->n = 0;
	while (c->n < ROWS && fgets(line, sizeof line, f)) {
		char *save = NULL, *name = strtok_r(line, ",\n", &save);
		char *cores = strtok_r(NULL, ",\n", &save), *v = strtok_r(NULL, ",\n", &save);
		double count, x;

		if (!name || strcmp(name, set) != 0)
			continue;
		assert_int_equal(sd_number_double(cores, 0, 1e9, &count), 0);
		assert_int_equal(sd_number_double(v, 0, 1e9, &x), 0);
		c->cores[c->n] = (unsigned)count;
		c->wall[c->n++] = rate ? 1000 / x : x;
	}
	fclose(f);
	assert_true(c->n > SD_PREDICT_POINTS);
}

/* The curve of the first n counts, interpolated at none: is the one at `k` held? */
static int foreseen(const struct curve *c, size_t n, size_t k, struct sd_interval *envelope)
{
	struct sd_record r;
	struct sd_analysis a;
	unsigned cores[ROWS];
	int inside = -1;

	memcpy(cores, c->cores, sizeof cores);
	times_make(&r, cores, c->wall, n, 5, 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_null(a.outlook.refused);
	if (at(&a, c->cores[k])) {
		inside = holds(at(&a, c->cores[k]), c->wall[0] / c->wall[k]);
		*envelope = at(&a, c->cores[k])->speedup;
	}
	sd_analysis_free(&a);
	sd_record_free(&r);
	return inside;
}

static void published_curves_lie_in_the_envelope_of_their_beginnings(void **state)
{
	static const struct {
		const char *file, *set;
		int rate;
	} sets[] = {
		{"usl.csv", "raytracer", 1},
		{"usl.csv", "specsdm91", 1},
		{"proxy_8180M.csv", "HPCCG", 0},
		{"proxy_8180M.csv", "CloverLeaf", 0},
	};
	int seen = 0, inside = 0;

	(void)state;
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		struct curve c;

		read_curve(sets[s].file, sets[s].set, sets[s].rate, &c);
		for (size_t n = SD_PREDICT_POINTS; n < c.n; n++)
			for (size_t k = n; k < c.n && c.cores[k] <= 2 * c.cores[n - 1]; k++) {
				struct sd_interval e;
				const int in = foreseen(&c, n, k, &e);

				if (in < 0)
					continue;
				seen++;
				inside += in;
				if (!in)
					print_message("%s to %u: %u cores %.2f not in %.2f..%.2f\n",
						sets[s].set, c.cores[n - 1], c.cores[k],
						c.wall[0] / c.wall[k], e.low, e.high);
			}
	}
	assert_int_equal(seen, 17);
	assert_int_equal(inside, seen);
}

/* A machine of CPUs 0..n-1: `of_package` to a socket (one cache, one node each), the last
 * `siblings` of them second threads of the first cores. Each point has its first CPUs. */
static void machine_make(struct sd_record *r, unsigned n, unsigned of_package, unsigned siblings)
{
	r->host.granted = n;
	r->layout.pu = calloc(n, sizeof *r->layout.pu);
	r->layout.n_pu = n;
	for (unsigned i = 0; i < n; i++) {
		const unsigned core = i < n - siblings ? i : i - (n - siblings);

		r->layout.pu[i] = (struct sd_pu){.os = i,
			.core = core,
			.smt_rank = i >= n - siblings,
			.llc = core / of_package,
			.numa = core / of_package,
			.package = core / of_package};
	}
	for (size_t i = 0; i < r->plan.n_point; i++)
		for (unsigned c = 0; c < r->plan.point[i].cores; c++)
			assert_int_equal(sd_cpulist_add(&r->plan.point[i].cpus, c), 0);
}

static void a_border_that_no_count_crossed_is_refused_by_its_name(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 6, 8};
	static const struct {
		unsigned cpus, of_package, siblings;
		enum sd_placement placement;
		const char *border; /* NULL: predicted */
		int beyond;
	} row[] = {
		{16, 8, 0, SD_PLACEMENT_COMPACT, "another socket", 0},
		{16, 8, 8, SD_PLACEMENT_COMPACT, "SMT siblings", 0},
		{16, 16, 0, SD_PLACEMENT_COMPACT, NULL, 0},
		{32, 16, 0, SD_PLACEMENT_COMPACT, NULL, 0},
		{32, 16, 0, SD_PLACEMENT_SPREAD, "another socket", 0},
		{8, 8, 0, SD_PLACEMENT_COMPACT, NULL, 1},
		{12, 12, 0, SD_PLACEMENT_COMPACT, NULL, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_predicted *p;

		amdahl_make(&r, cores, 5, .05);
		machine_make(&r, row[i].cpus, row[i].of_package, row[i].siblings);
		r.program.placement = row[i].placement;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		p = at(&a, 16);
		assert_non_null(p);
		assert_int_equal(p->beyond, row[i].beyond);
		if (row[i].border) {
			assert_non_null(strstr(p->refused, row[i].border));
			assert_int_equal(p->speedup.status, SD_STATUS_ABSENT);
		} else {
			assert_null(p->refused);
			assert_true(holds(p, 10 / amdahl(16, .05)));
		}
		/* what can be run is the run that tells most */
		if (row[i].cpus > 8)
			assert_int_equal(a.outlook.next_run, row[i].cpus < 16 ? row[i].cpus : 16);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void counts_that_share_cores_otherwise_are_not_of_the_curve(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 6, 8, 16};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	amdahl_make(&r, cores, 6, .05);
	machine_make(&r, 16, 8, 8);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.outlook.n_count, 0);
	assert_non_null(strstr(a.outlook.refused, "only 1 of the 6 core counts uses cores as 16"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void too_few_counts_are_refused_with_the_number_that_is_needed(void **state)
{
	static const unsigned two[] = {1, 2}, three[] = {1, 2, 8};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	amdahl_make(&r, two, 2, .05);
	machine_make(&r, 2, 2, 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_string_equal(
		a.outlook.refused, "that takes 4 measured core counts, and there are 2");
	assert_int_equal(a.outlook.n_count, 0);
	assert_int_equal(a.outlook.next_run, 0); /* there is none here */
	/* but what was measured answers for itself */
	assert_int_equal(a.outlook.stops_known, 1);
	assert_int_equal(a.outlook.stops_low, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
	amdahl_make(&r, three, 3, .05);
	machine_make(&r, 8, 8, 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_non_null(strstr(a.outlook.refused, "and there are 3"));
	assert_int_equal(a.outlook.next_run, 4);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void one_run_at_a_count_is_too_few(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 6, 8};
	static const double wall[] = {10, 5.2, 2.8, 2, 1.6};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	times_make(&r, cores, wall, 5, 1, 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.outlook.n_count, 0);
	assert_non_null(strstr(a.outlook.refused, "two runs"));
	assert_int_equal(a.outlook.next_run, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void the_count_from_which_doubling_stops_paying_is_found(void **state)
{
	/* a wall at 4: seconds do not fall any more */
	static const unsigned cores[] = {1, 2, 4, 8, 16, 32};
	static const double wall[] = {16, 8, 4, 4, 4, 4};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	times_make(&r, cores, wall, 6, 5, .01);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.outlook.stops, 4);
	assert_int_equal(a.outlook.stops_low, 4);
	assert_true(a.outlook.stops_high == 4 || a.outlook.stops_high == 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void noisier_runs_never_give_a_narrower_envelope(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 6, 8};
	double wall[5], width[2];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		wall[i] = amdahl(cores[i], .05);
	for (int k = 0; k < 2; k++) {
		struct sd_record r;
		struct sd_analysis a;

		times_make(&r, cores, wall, 5, 8, k ? .2 : .02);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		width[k] = at(&a, 16)->speedup.high - at(&a, 16)->speedup.low;
		assert_true(at(&a, 16)->speedup.low <= at(&a, 16)->speedup.value);
		assert_true(at(&a, 16)->speedup.high >= at(&a, 16)->speedup.value);
		/* never more than in proportion from the last count, as fast as it ever was */
		assert_true(at(&a, 16)->speedup.high <= 2 * a.point[4].speedup.high * 1.001);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	assert_true(width[1] > width[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_amdahl_times_give_a_tight_envelope_around_amdahls_law),
		cmocka_unit_test(published_curves_lie_in_the_envelope_of_their_beginnings),
		cmocka_unit_test(a_border_that_no_count_crossed_is_refused_by_its_name),
		cmocka_unit_test(counts_that_share_cores_otherwise_are_not_of_the_curve),
		cmocka_unit_test(too_few_counts_are_refused_with_the_number_that_is_needed),
		cmocka_unit_test(one_run_at_a_count_is_too_few),
		cmocka_unit_test(the_count_from_which_doubling_stops_paying_is_found),
		cmocka_unit_test(noisier_runs_never_give_a_narrower_envelope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
