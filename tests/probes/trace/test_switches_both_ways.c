/*
 * Switches recorded by programs in the kernel and by its events: of the same program both say what
 * the kernel's own books say.
 */
#include "probes/trace/live_trace.h"
#include "probes/trace/sanitizer_threads.h"
#include "trace/kept_recorders.h"

static const struct sd_trace_options by_programs = {.programs = 1}, by_events = {.programs = 0};

static struct seen record(struct sd_trace_options how, const char *part,
	struct sd_trace_facts *facts, double *cpu_s, const char *test)
{
	const struct others since = others_now();
	const struct seen s = watch_with(how, part, facts, cpu_s);

	if (how.programs && facts->programs != SD_STATUS_OK) {
		print_message(
			"SKIP: programs in the kernel are %s\n", sd_status_name(facts->programs));
		skip();
	}
	expect_all(facts, &since, test);
	return s;
}

/* A thread's last switch is in the books or not. */
static void expect_switches(const struct seen *s)
{
	assert_true((double)s->n[SD_EVENT_SWITCH_OUT] >= .99 * s->left - 8);
	assert_true((double)s->n[SD_EVENT_SWITCH_OUT] <= 1.01 * s->left + 8);
}

static void programs_leave_no_switch_out_however_many_there_are(void **state)
{
	const struct others since = others_now();
	struct sd_trace_facts facts;
	struct seen s;
	double cpu_s;

	(void)state;
	sanitizer_threads_skip(__func__);
	s = record(by_programs, "hand_over", &facts, &cpu_s, __func__);
	if (s.n[SD_EVENT_SHUT]) /* a CPU that others switch 100,000 times a second is another case
				 */
		others_skip(&since, __func__);
	assert_int_equal(s.n[SD_EVENT_SHUT], 0);
	expect_switches(&s);
	assert_int_equal(s.n[SD_EVENT_SWITCH_OUT], facts.n_switches);
	/* A thread leaves and comes again. Seen on a virtual machine: no switch from a thread of
	 * its first process is shown, and who comes after it comes unseen. */
	assert_true((double)s.n[SD_EVENT_SWITCH_IN] >= .99 * (double)s.n[SD_EVENT_SWITCH_OUT] - 4);
	/* waits have a name, whose stack was seen; a few have none: at a thread's end */
	assert_true((double)s.named + s.preempted + 8 >= (double)s.n[SD_EVENT_SWITCH_OUT]);
	assert_true(s.n[SD_EVENT_SEEN] >= 2);
}

static void both_ways_the_time_on_a_cpu_is_that_of_the_books(void **state)
{
	const struct sd_trace_options *const way[] = {&by_events, &by_programs};

	(void)state;
	sanitizer_threads_skip(__func__);
	for (int i = 0; i < 2; i++) {
		const struct others since = others_now();
		struct sd_trace_facts facts;
		double cpu_s;
		const struct seen s = record(*way[i], "hand_over", &facts, &cpu_s, __func__);
		const double steal = stolen(&since);

		if (s.n[SD_EVENT_SHUT]) /* a fast machine: only some were recorded */
			continue;
		expect_switches(&s);
		/* whoever is first in line comes and goes, also where it comes unseen */
		if (s.ran < .97 * cpu_s - .01)
			others_skip(&since, __func__);
		assert_true(s.ran >= .97 * cpu_s - .01);
		/* until a switch the next one's time is the last one's */
		assert_true(s.ran <= 1.1 * cpu_s + steal);
		if (facts.wakes == SD_STATUS_OK)
			assert_true(s.n[SD_EVENT_WAKE] > 0);
	}
}

static uint64_t written(const struct sd_kept_recorders *k)
{
	uint64_t all = 0;

	for (size_t i = 0; i < k->n; i++) {
		const struct sd_switch_ring *const ring = k->recorder[i].switches;

		assert_non_null(ring);
		all += __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	}
	return all;
}

/* Switches of a thread that nobody records. */
static void sleep_often(void)
{
	for (int i = 0; i < 100; i++)
		usleep(100);
}

static void the_same_programs_record_run_after_run(void **state)
{
	static struct sd_kept_recorders kept;
	const struct sd_trace_options how = {.programs = 1, .kept = &kept};
	int at = -1;

	(void)state;
	sanitizer_threads_skip(__func__);
	for (int run = 0; run < 3; run++) {
		const struct others since = others_now();
		struct sd_trace_facts facts;
		double cpu_s;
		const struct seen s = record(how, "hand_over", &facts, &cpu_s, __func__);
		uint64_t before;

		if (s.n[SD_EVENT_SHUT] || !kept.n) /* others' switches, or a machine too busy */
			others_skip(&since, __func__);
		expect_switches(&s);
		/* of this run and no other; with as many stacks allowed as the first */
		assert_int_equal(s.n[SD_EVENT_SWITCH_OUT], facts.n_switches);
		assert_true(s.n[SD_EVENT_SEEN] >= 2);
		assert_true((double)s.named + s.preempted + 8 >= (double)s.n[SD_EVENT_SWITCH_OUT]);
		/* neither loaded again, nor writing between the runs */
		assert_true(kept.programs.open);
		assert_true(run == 0 || kept.programs.at[0] == at);
		at = kept.programs.at[0];
		usleep(1000);
		before = written(&kept);
		sleep_often();
		assert_int_equal(written(&kept), before);
	}
	sd_kept_recorders_free(&kept);
	assert_false(kept.programs.open);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_leave_no_switch_out_however_many_there_are),
		cmocka_unit_test(both_ways_the_time_on_a_cpu_is_that_of_the_books),
		cmocka_unit_test(the_same_programs_record_run_after_run),
	};

	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			_exit(parts[i].run());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
