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
#include "near.h"

#include "analyse_record.h"
#include "number.h"
#include "predict.h"

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
		assert_int_equal(sd_analyse(&r, &a), 0);
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
	assert_int_equal(sd_analyse(&r, &a), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_amdahl_times_give_a_tight_envelope_around_amdahls_law),
		cmocka_unit_test(published_curves_lie_in_the_envelope_of_their_beginnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
