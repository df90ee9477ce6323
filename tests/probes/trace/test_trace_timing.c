/*
 * Samples in time: ticks that keep apart, rings that overflow at the end.
 */
#include "probes/trace/live_trace.h"
#include "probes/trace/sanitizer_threads.h"

/* Share of the time in which switches were recorded. */
static double watched(const struct seen *s)
{
	const double now = s->shut_since ? (double)(s->last - s->shut_since) * 1e-9 : 0;

	return 1 - (s->shut + now) / ((double)(s->last - s->begun) * 1e-9);
}

/* The hops are alike: half of them, at least, in half of the time, where it is known that only that
 * half was recorded. */
static void many_switches_are_recorded_or_left_out_in_known_times(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("ping_pong", &facts, &cpu_s, NULL);

	(void)state;
	sanitizer_threads_skip(__func__);
	expect_all(&facts, &since, __func__);
	/* nor are they alike where others have the CPUs now and then */
	if ((double)s.n[SD_EVENT_SWITCH_OUT] <= 20000 * watched(&s) / 2)
		others_skip(&since, __func__);
	assert_true((double)s.n[SD_EVENT_SWITCH_OUT] > 20000 * watched(&s) / 2);
	assert_true(s.n[SD_EVENT_SWITCH_OUT] > 20000 || s.n[SD_EVENT_SHUT]);
	assert_int_equal(s.n[SD_EVENT_SWITCH_OUT], facts.n_switches);
}

/* Each hop is a write that wakes the other side. */
static void wakers_are_seen_where_tracepoints_are(void **state)
{
	struct sd_trace_facts facts;
	const struct others since = others_now();
	struct seen s;
	double cpu_s;

	(void)state;
	s = watch("ping_pong", &facts, &cpu_s, NULL);
	if (facts.wakes != SD_STATUS_OK) {
		print_message("SKIP: wake-ups are %s\n", sd_status_name(facts.wakes));
		skip();
	}
	expect_all(&facts, &since, __func__);
	/* hops are not alike where others have the CPUs now and then */
	if ((double)s.n[SD_EVENT_WAKE] <= 10000 * watched(&s) / 2)
		others_skip(&since, __func__);
	assert_true((double)s.n[SD_EVENT_WAKE] > 10000 * watched(&s) / 2);
}

#define TICKS_HZ 4000

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A thread at a barrier waits while the sample of the one it meets is taken. Clocks that tick so
 * soon after each other would have only such samples of him. */
static void no_clock_ticks_while_another_cpu_takes_its_sample(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s, period;
	uint64_t median;
	const struct others since = others_now();
	struct seen s = watch("two_threads", &facts, &cpu_s, NULL);

	(void)state;
	if (!facts.together || s.n_after < 50) {
		print_message("SKIP: clocks of threads, or no second CPU\n");
		skip();
	}
	qsort(s.after, s.n_after, sizeof *s.after, by_size);
	median = s.after[s.n_after / 2];
	period = 1e9 / facts.hz;
	/* either may be the first */
	assert_in_range(median, 50000, (uint64_t)period - 50000);
	/* who loses its CPU has its clock stopped, and goes on behind the other's */
	if ((double)median >= .3 * period && (double)median <= .7 * period)
		others_skip(&since, __func__);
	assert_true((double)median < .3 * period || (double)median > .7 * period);
}

/* The ring is full long before the end, and nothing reads it until then: most of what was lost no
 * record had room to say. Each tick is a sample or a loss. */
static void what_a_full_ring_lost_at_the_end_is_counted(void **state)
{
	char *const argv[] = {(char[]){SELF}, (char[]){"two_seconds"}, NULL};
	struct sd_cpulist cpus = capture_cpus();
	struct capture_child child = capture_fork(argv);
	struct sd_trace_facts facts;
	struct sd_capture *c;
	struct utsname kernel;
	const struct others since = others_now();
	struct rusage usage;
	double cpu_s;
	const int rc = sd_trace_open(
		&c, &(struct sd_trace_options){.pid = child.pid, .cpus = &cpus, .hz = TICKS_HZ});

	(void)state;
	sd_cpulist_free(&cpus);
	assert_int_equal(capture_run(&child, NULL, &usage), 0);
	if (rc) {
		print_message("SKIP: perf_event_open says %s\n", strerror(-rc));
		skip();
	}
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	sd_trace_facts(c, &facts);
	sd_trace_close(c);
	assert_int_equal(uname(&kernel), 0);
	if (atoi(kernel.release) < 6) {
		print_message("SKIP: Linux %s does not say it\n", kernel.release);
		skip();
	}
	cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime) - stolen(&since);
	assert_true((double)(facts.n_samples + facts.n_lost) > .8 * TICKS_HZ * cpu_s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_clock_ticks_while_another_cpu_takes_its_sample),
		cmocka_unit_test(many_switches_are_recorded_or_left_out_in_known_times),
		cmocka_unit_test(wakers_are_seen_where_tracepoints_are),
		cmocka_unit_test(what_a_full_ring_lost_at_the_end_is_counted),
	};

	/* not by exit: there the address sanitizer makes a thread of its own, to look for leaks,
	 * and the parts are counted thread by thread */
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			_exit(parts[i].run());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
