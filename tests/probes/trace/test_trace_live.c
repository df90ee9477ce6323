/* The capture of real programs: this test's own program, started with the name of a part. */
#include "probes/trace/live_trace.h"
#include "probes/trace/sanitizer_threads.h"

/* Within a share of b, or above by what was stolen. */
static void near(double a, double b, double share, double steal, const struct seen *s)
{
	if (a >= b * (1 - share) && a <= b * (1 + share) + steal)
		return;
	/* two threads on two CPUs are preempted a few times a second when nobody else
	 * wants those */
	if (s->preempted > 100 * b) {
		print_message("SKIP: others took the CPUs: preempted %.0f times\n", s->preempted);
		skip();
	}
	fail_msg("%g is not within %g %% of %g and %g stolen", a, share * 100, b, steal);
}

static void intervals_on_a_cpu_add_up_to_the_cpu_time(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("two_threads", &facts, &cpu_s, NULL);
	const double steal = stolen(&since);

	(void)state;
	sanitizer_threads_skip(__func__);
	expect_all(&facts, &since, __func__);
	assert_int_equal(s.n[SD_EVENT_FORK], 1);
	assert_int_equal(s.n[SD_EVENT_EXIT], 2);
	assert_int_equal(s.exec_root, 1);
	assert_true(s.n[SD_EVENT_MAP] >= 3);
	near(s.ran, cpu_s, 0.03, steal, &s);
	near(s.weight, cpu_s, 0.05, steal, &s);
}

static void every_fork_and_exit_is_seen(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("thousand_forks", &facts, &cpu_s, NULL);

	(void)state;
	sanitizer_threads_skip(__func__);
	expect_all(&facts, &since, __func__);
	assert_int_equal(s.n[SD_EVENT_FORK], 1000);
	assert_int_equal(s.n[SD_EVENT_EXIT], 1001);
}

/* Needs to look at whole CPUs: each process lives for less than a period. */
static void the_time_of_short_processes_is_sampled(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("thousand_forks", &facts, &cpu_s, NULL);

	(void)state;
	if (geteuid() != 0 || facts.kernel != SD_STATUS_OK) {
		print_message("SKIP: not root: a clock of its own for each thread\n");
		skip();
	}
	/* about 150 samples; a process still works in the kernel after its exit was told */
	near(s.weight, cpu_s, 0.5, stolen(&since), &s);
}

static void a_second_exec_is_seen(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("execs", &facts, &cpu_s, NULL);

	(void)state;
	expect_all(&facts, &since, __func__);
	assert_int_equal(s.exec_root, 2);
	assert_int_equal(s.n[SD_EVENT_EXIT], 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_on_a_cpu_add_up_to_the_cpu_time),
		cmocka_unit_test(every_fork_and_exit_is_seen),
		cmocka_unit_test(the_time_of_short_processes_is_sampled),
		cmocka_unit_test(a_second_exec_is_seen),
	};

	/* not by exit: there the address sanitizer makes a thread of its own, to look for leaks,
	 * and the parts are counted thread by thread */
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			_exit(parts[i].run());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
