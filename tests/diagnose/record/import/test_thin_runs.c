/* An import of very many runs keeps some, spread evenly over those of each core count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "import/import.h"

/* A run of `cores`, which as the i-th of that count lasted i milliseconds and a second. */
static void add(struct sd_import *im, unsigned cores, size_t i)
{
	const struct sd_import_text t = {.name = "t"};
	struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1 + .001 * (double)i)};

	assert_int_equal(sd_import_add(im, &t, 1, cores, &run), 0);
}

/* How many runs of a count are kept; *step: s from one to the next, which must be the same. */
static size_t kept_of(const struct sd_import *im, unsigned cores, double *step)
{
	double first = 0, last = 0;
	size_t n = 0;

	*step = 0;
	for (size_t i = 0; i < im->record.n_run; i++) {
		const double at = im->record.run[i].metric[SD_METRIC_WALL].value;

		if (im->record.plan.point[im->record.run[i].point].cores != cores)
			continue;
		if (n == 0)
			first = at;
		else if (n == 1)
			*step = at - last;
		else
			assert_near(at - last, *step, 1e-9);
		last = at;
		n++;
	}
	assert_true(first > 0);
	return n;
}

static void every_run_is_kept_of_few(void **state)
{
	struct sd_import im = {0};

	(void)state;
	for (size_t i = 0; i + 1 < SD_THIN_RUNS_MOST; i++)
		add(&im, 1 + i % 2, i);
	assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
	assert_int_equal(im.record.n_run, SD_THIN_RUNS_MOST - 1);
	assert_int_equal(im.record.warnings.n, 1);
	sd_import_free(&im);
}

static void of_many_runs_every_nth_of_a_count_is_kept(void **state)
{
	size_t given[5] = {0}, n;
	struct sd_import im = {0};
	double step;

	(void)state;
	/* count 4 has three runs, one of them the first, and 2 a fourth as many as 1 */
	for (size_t i = 0; i < 100000; i++) {
		const unsigned cores = i % 50000 == 0 ? 4 : i % 5 == 0 ? 2 : 1;

		add(&im, cores, given[cores]++);
	}
	add(&im, 4, given[4]);
	assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
	assert_true(im.record.n_run < SD_THIN_RUNS_MOST);
	assert_int_equal(kept_of(&im, 4, &step), 3);
	n = kept_of(&im, 2, &step);
	assert_in_range(n, 4000, 20000);
	assert_in_range(im.record.n_run - n - 3, 8000, 32000);
	assert_non_null(strstr(im.record.warnings.text[0], "runs were left out"));
	assert_int_equal(strtoul(im.record.warnings.text[0] + strlen("imported: "), NULL, 10),
		100001 - im.record.n_run);
	assert_sound(&im.record);
	sd_import_free(&im);
}

/* Runs with samples are of what the other runs are not. */
static void a_run_with_samples_is_kept(void **state)
{
	struct sd_import im = {0};
	struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1), .sampled.status = SD_STATUS_OK};
	const struct sd_import_text t = {.name = "t"};
	size_t sampled = 0;

	(void)state;
	assert_int_equal(sd_import_add(&im, &t, 1, 1, &run), 0);
	for (size_t i = 0; i < 3 * (size_t)SD_THIN_RUNS_MOST; i++)
		add(&im, 1, i);
	run = (struct sd_run){.metric[SD_METRIC_WALL] = SD_OK(1), .sampled.status = SD_STATUS_OK};
	assert_int_equal(sd_import_add(&im, &t, 1, 1, &run), 0);
	for (size_t i = 0; i < im.record.n_run; i++)
		sampled += im.record.run[i].sampled.status == SD_STATUS_OK;
	assert_int_equal(sampled, 2);
	sd_import_free(&im);
}

static void more_core_counts_than_a_record_has_are_refused(void **state)
{
	const struct sd_import_text t = {.name = "t"};
	struct sd_import im = {0};
	size_t added = 0;

	(void)state;
	for (unsigned i = 0; i < 40000; i++) {
		struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1)};

		added += sd_import_add(&im, &t, 1, 1 + i % 5000, &run) == 0;
	}
	assert_int_equal(added, SD_THIN_RUNS_MOST);
	sd_import_free(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_is_kept_of_few),
		cmocka_unit_test(of_many_runs_every_nth_of_a_count_is_kept),
		cmocka_unit_test(a_run_with_samples_is_kept),
		cmocka_unit_test(more_core_counts_than_a_record_has_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
