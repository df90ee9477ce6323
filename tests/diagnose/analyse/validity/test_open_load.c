/* A service whose load, and not its code, sets its throughput. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"

#define RUNS 8

/* Windows of a second at 1 and 2 cores, by throughput. */
static void analyse(struct sd_record *r, struct sd_analysis *a, const struct sample s[2],
	const double rate[2], int attached)
{
	const unsigned cores[] = {1, 2};

	record_make(r, cores, 2);
	r->program.rate = strdup("served");
	r->program.attached = attached ? strdup("process 1") : NULL;
	for (size_t p = 0; p < 2; p++)
		for (size_t i = 0; i < RUNS; i++)
			record_sample(r, p, &s[p], 1)->metric[SD_METRIC_RATE] =
				SD_OK(rate[p] * (1 + .001 * (double)i));
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static int says(const struct sd_analysis *a, const char *words)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], words))
			return 1;
	return 0;
}

/* 1.3 cores of requests come in; the second core is idle for want of more. */
static const struct sample open_load[2] = {{.wall = 1, .user = 1},
	{.wall = 1, .user = 1.3, .idle = {[SD_IDLE_SLEEP] = .2, [SD_IDLE_NETWORK] = .5}}};
/* The same times, but the second core is idle for a lock. */
static const struct sample locked[2] = {
	{.wall = 1, .user = 1}, {.wall = 1, .user = 1.3, .idle = {[SD_IDLE_LOCK] = .7}}};

static void a_load_that_is_too_small_decides_nothing(void **state)
{
	const double rate[] = {1000, 1300};
	struct sd_record r;
	struct sd_analysis a = {0};

	(void)state;
	analyse(&r, &a, open_load, rate, 1);
	assert_non_null(a.no_verdict);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	assert_true(says(&a, "the load needs 1.3 of 2 cores"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_lock_is_no_load(void **state)
{
	const double rate[] = {1000, 1300};
	struct sd_record r;
	struct sd_analysis a = {0};

	(void)state;
	analyse(&r, &a, locked, rate, 1);
	assert_false(says(&a, "the load needs"));
	assert_int_equal(a.scales, SD_SCALES_NO);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A program that is started has sleep of its own. */
static void a_program_that_was_started_has_no_load(void **state)
{
	const double rate[] = {1000, 1300};
	struct sd_record r;
	struct sd_analysis a = {0};

	(void)state;
	analyse(&r, &a, open_load, rate, 0);
	assert_false(says(&a, "the load needs"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_that_is_too_small_decides_nothing),
		cmocka_unit_test(a_lock_is_no_load),
		cmocka_unit_test(a_program_that_was_started_has_no_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
