/*
 * A Java virtual machine that takes another collector with more CPUs does work that the reference
 * has not; one that takes the same does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"

static const char jvm[] = "/usr/lib/jvm/java-17/lib/server/libjvm.so";

static int warns(const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], "name one for all"))
			return 1;
	return 0;
}

static void work_of_another_collector_is_extra(void **state)
{
	static const struct {
		const char *before, *after, *module;
		double part; /* s of a run that are sampled at the reference */
		int differs;
	} rows[] = {
		{"DefNewGeneration::collect", "G1RemSet::refine_card_concurrently", jvm, 1, 1},
		{NULL, "G1RemSet::refine_card_concurrently", jvm, 1, 1},
		{"G1ParScanThreadState::trim_queue", "G1RemSet::refine_card_concurrently", jvm, 1,
			0},
		/* a collector that few samples cannot have met may have been there */
		{NULL, "G1RemSet::refine_card_concurrently", jvm, .001, 0},
		/* the user's own, whatever it is called */
		{NULL, "G1Widget::draw", "/home/me/app", 1, 0},
	};
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10}, two = {.wall = 8, .user = 16};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r;
		struct sd_analysis a;
		unsigned work, before, after;

		record_make(&r, cores, 2);
		work = make_call(&r, 0, "work", "a.c", 3, "/home/me/app");
		before = rows[i].before ? make_call(&r, 0, rows[i].before, "", 0, jvm) : work;
		after = make_call(&r, 0, rows[i].after, "", 0, rows[i].module);
		for (int k = 0; k < 6; k++) {
			const double f = 1 + .001 * k;
			struct sd_run *run = record_sample(&r, 0, &one, f);

			make_use(run, work, SD_ACTIVITY_USEFUL, 9.5 * f * rows[i].part);
			make_use(run, before, SD_ACTIVITY_USEFUL, .5 * f * rows[i].part);
			run = record_sample(&r, 1, &two, f);
			make_use(run, work, SD_ACTIVITY_USEFUL, 10 * f);
			make_use(run, after, SD_ACTIVITY_USEFUL, 6 * f);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(warns(&a), rows[i].differs);
		assert_int_equal(finding_of(&a, SD_CAUSE_EXTRA_WORK)->verdict == SD_VERDICT_LIKELY,
			rows[i].differs);
		if (rows[i].differs) /* 6 s of 8, less the reference's half second */
			assert_true(finding_of(&a, SD_CAUSE_EXTRA_WORK)->cores.value > .6 &&
				    finding_of(&a, SD_CAUSE_EXTRA_WORK)->cores.value < .8);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_of_another_collector_is_extra),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
