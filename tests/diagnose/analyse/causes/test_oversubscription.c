/* More threads than CPUs: what the time of ready threads shows of it, and what it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "support/make_samples.h"

/* 8 s of work on one core and 5 s on two: 1 s of 10 in which a core idles while a thread is ready.
 */
static void make(struct sd_record *r, const double *seconds, size_t n, double others)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_RUNNABLE] = 2}};
	const unsigned cores[] = {1, 2};

	record_make(r, cores, 2);
	record_samples(r, 0, &one, 8, .01, 3);
	record_samples(r, 1, &many, 8, .01, 3);
	for (size_t i = 0; i < r->n_run; i++) {
		if (n && r->run[i].point == 1)
			make_concurrency(&r->run[i], seconds, n);
		r->run[i].metric[SD_METRIC_FOREIGN] = SD_OK(others);
		r->run[i].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
	}
}

static enum sd_verdict verdict(const double *seconds, size_t n, double others, double *low)
{
	struct sd_analysis a;
	struct sd_record r;
	enum sd_verdict v;

	make(&r, seconds, n, others);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	v = finding_of(&a, SD_CAUSE_OVERSUBSCRIPTION)->verdict;
	*low = finding_of(&a, SD_CAUSE_OVERSUBSCRIPTION)->cores.low;
	sd_analysis_free(&a);
	sd_record_free(&r);
	return v;
}

static const double crowd[] = {0, 0, 1, 1, 1, 1, 1}, pair[] = {0, 2, 3},
		    brief[] = {0, 2, 2.99, .01};

static void eight_threads_that_wait_for_two_cpus_are_the_cause(void **state)
{
	double low;

	(void)state;
	assert_int_equal(verdict(crowd, 7, 0, &low), SD_VERDICT_LIKELY);
	assert_true(low > 0);
}

static void what_runs_already_is_handed_no_count(void **state)
{
	(void)state;
	for (int attached = 0; attached < 2; attached++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, crowd, 7, 0);
		r.program.attached = attached ? strdup("process 4711") : NULL;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_OVERSUBSCRIPTION);
		assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		assert_int_equal(f->next && strstr(f->next, "{n}"), !attached);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void as_many_threads_as_cpus_are_none(void **state)
{
	double low;

	(void)state;
	assert_int_equal(verdict(pair, 3, 0, &low), SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(brief, 4, 0, &low), SD_VERDICT_RULED_OUT);
}

/* The same waits, and others used the CPUs for as long: whose doing it is is not known. */
static void waits_for_cpus_that_others_had_are_not_the_programs(void **state)
{
	double low;

	(void)state;
	assert_int_not_equal(verdict(crowd, 7, 2, &low), SD_VERDICT_LIKELY);
	assert_true(low == 0);
}

/* Two threads, two CPUs, one of which they are kept from: what others used was that one. */
static void threads_that_are_bound_to_one_cpu_are_the_cause(void **state)
{
	(void)state;
	for (int bound = 0; bound < 2; bound++) {
		static const struct sample one = {.wall = 8, .user = 8};
		static const struct sample two = {
			.wall = 8, .user = 8, .idle = {[SD_IDLE_RUNNABLE] = 8}};
		const double both[] = {0, 0, 8};
		const unsigned cores[] = {1, 2};
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		record_samples(&r, 0, &one, 8, .001, 3);
		record_samples(&r, 1, &two, 8, .001, 3);
		for (size_t i = 0; i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(r.run[i].point ? 7.5 : 0);
			r.run[i].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
			r.run[i].metric[SD_METRIC_USABLE] = SD_OK(r.run[i].point && !bound ? 2 : 1);
			if (r.run[i].point)
				make_concurrency(&r.run[i], both, 3);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_OVERSUBSCRIPTION);
		if (bound) {
			assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
			assert_true(f->cores.low > .8);
			assert_int_equal(a.scales, SD_SCALES_NO);
			assert_int_equal(
				finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_RULED_OUT);
		} else {
			assert_int_equal(f->verdict, SD_VERDICT_RULED_OUT);
			assert_int_not_equal(
				finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_RULED_OUT);
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Two threads, two CPUs that both use, each in turn: who had the CPU that they were bound to, which
 * their number does not tell, and what one waited for the other is no imbalance. */
static void threads_that_share_the_cpu_they_are_bound_to_are_the_cause(void **state)
{
	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		static const struct sample one = {.wall = 8, .user = 8};
		static const struct sample two = {.wall = 6,
			.user = 8,
			.idle = {[SD_IDLE_RUNNABLE] = 3, [SD_IDLE_IMBALANCE] = 1}};
		const double both[] = {0, 1, 5};
		const unsigned cores[] = {1, 2};
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		record_samples(&r, 0, &one, 8, .001, 3);
		record_samples(&r, 1, &two, 8, .001, 3);
		for (size_t i = 0; i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_FOREIGN] = SD_OK(r.run[i].point ? 4 : 0);
			r.run[i].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
			r.run[i].metric[SD_METRIC_USABLE] = SD_OK(r.run[i].point ? 2 : 1);
			r.run[i].metric[SD_METRIC_BOUND_WAIT] =
				SD_OK(r.run[i].point && shared ? 2.9 : 0);
			if (r.run[i].point)
				make_concurrency(&r.run[i], both, 3);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		if (shared) {
			assert_int_equal(a.finding[0].cause, SD_CAUSE_OVERSUBSCRIPTION);
			assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
			assert_true(a.finding[0].cores.low > .4);
			assert_true(a.finding[0].cores.high <= 1);
			/* in the short report, not in its evidence alone */
			assert_non_null(strstr(a.finding[0].next, "Cpus_allowed_list"));
		} else {
			assert_int_equal(finding_of(&a, SD_CAUSE_OVERSUBSCRIPTION)->verdict,
				SD_VERDICT_RULED_OUT);
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void without_thread_states_it_is_not_measurable(void **state)
{
	double low;

	(void)state;
	assert_int_equal(verdict(NULL, 0, 0, &low), SD_VERDICT_NOT_MEASURABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_threads_that_wait_for_two_cpus_are_the_cause),
		cmocka_unit_test(what_runs_already_is_handed_no_count),
		cmocka_unit_test(as_many_threads_as_cpus_are_none),
		cmocka_unit_test(waits_for_cpus_that_others_had_are_not_the_programs),
		cmocka_unit_test(threads_that_are_bound_to_one_cpu_are_the_cause),
		cmocka_unit_test(threads_that_share_the_cpu_they_are_bound_to_are_the_cause),
		cmocka_unit_test(without_thread_states_it_is_not_measurable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
