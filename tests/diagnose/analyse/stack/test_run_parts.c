/*
 * The parts of a run sum to its capacity, however they were measured.
 */
#include <string.h>

#include "diagnose/analyse/stack/uniform_runs.h"

static double parts_sum(const struct sd_run_parts *p)
{
	double sum = 0;

	for (int k = 0; k < SD_PART_COUNT; k++)
		sum += p->part[k];
	return sum;
}

static void parts_of_any_run_sum_to_its_capacity(void **state)
{
	struct sd_random r;

	(void)state;
	sd_random_seed(&r, 11, 0);
	for (int i = 0; i < 5000; i++) {
		struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1e-3 + uniform(&r, 100))};
		struct sd_run_parts p;

		random_run(&run, &r);
		sd_run_parts_split(&run, 1 + (unsigned)sd_random_below(&r, 64), &p);
		assert_near(parts_sum(&p), 1, 1e-12 * (1 + fabs(p.part[SD_PART_UNKNOWN])));
		for (int k = 0; k < SD_PART_UNKNOWN; k++)
			assert_true(p.part[k] >= 0);
	}
}

/* Core-seconds of one run on 4 cores for 1 s, and what must become of them. */
static void idle_time_goes_where_the_kernel_and_the_poller_say(void **state)
{
	static const struct {
		const char *what;
		struct sample s;
		double part[SD_PART_COUNT];
	} row[] = {
		{"the classes add up",
			{.wall = 1, .user = 3, .idle = {[SD_IDLE_LOCK] = .5, [SD_IDLE_DISK] = .5}},
			{[SD_PART_USER] = .75, [SD_PART_LOCK] = .125, [SD_PART_DISK] = .125}},
		{"more seen than there was: scaled down",
			{.wall = 1, .user = 3, .idle = {[SD_IDLE_LOCK] = 1.5, [SD_IDLE_DISK] = .5}},
			{[SD_PART_USER] = .75, [SD_PART_LOCK] = .1875, [SD_PART_DISK] = .0625}},
		{"runnable threads that looked as if they ran",
			{.wall = 1, .user = 3, .run_delay = .6, .idle = {[SD_IDLE_LOCK] = .4}},
			{[SD_PART_USER] = .75, [SD_PART_LOCK] = .1, [SD_PART_RUN_QUEUE] = .15}},
		{"the quota before the run queue",
			{.wall = 1,
				.user = 3,
				.run_delay = 5,
				.throttled = .8,
				.idle = {[SD_IDLE_THROTTLED] = .1}},
			{[SD_PART_USER] = .75,
				[SD_PART_THROTTLED] = .2,
				[SD_PART_RUN_QUEUE] = .05}},
		{"stolen time is not idle time",
			{.wall = 1, .user = 2, .steal = 1, .idle = {[SD_IDLE_SERIAL] = 1}},
			{[SD_PART_USER] = .5, [SD_PART_STOLEN] = .25, [SD_PART_SERIAL] = .25}},
		{"nothing seen: not accounted for", {.wall = 1, .user = 3, .system = .4},
			{[SD_PART_USER] = .75, [SD_PART_SYSTEM] = .1, [SD_PART_UNKNOWN] = .15}},
		{"more CPU time than the cores have",
			{.wall = 1,
				.user = 4,
				.system = .4,
				.steal = 1,
				.idle = {[SD_IDLE_LOCK] = 1}},
			{[SD_PART_USER] = 1, [SD_PART_SYSTEM] = .1, [SD_PART_UNKNOWN] = -.1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const unsigned cores[] = {4};
		struct sd_record r;
		struct sd_run_parts p;

		print_message("%s\n", row[i].what);
		record_make(&r, cores, 1);
		record_sample(&r, 0, &row[i].s, 1);
		sd_run_parts_split(&r.run[0], 4, &p);
		for (int k = 0; k < SD_PART_COUNT; k++)
			assert_near(p.part[k], row[i].part[k], 1e-12);
		sd_record_free(&r);
	}
}

static void a_gap_within_the_pollers_error_is_shared_among_what_it_saw(void **state)
{
	const unsigned cores[] = {4};
	const struct sample s = {.wall = 10, .user = 36, .idle = {[SD_IDLE_LOCK] = 3.8}};
	struct sd_record r;
	struct sd_run_parts p;
	double error = 2 * sqrt(3.8 * .005 * 4);

	(void)state;
	record_make(&r, cores, 1);
	record_sample(&r, 0, &s, 1);
	sd_run_parts_split(&r.run[0], 4, &p);
	assert_near(p.part[SD_PART_LOCK] * 40, 4, 1e-12);
	r.run[0].metric[SD_METRIC_USER].value = 35;
	sd_run_parts_split(&r.run[0], 4, &p);
	assert_near(p.part[SD_PART_LOCK] * 40, 3.8 + error, 1e-12);
	assert_near(p.part[SD_PART_UNKNOWN] * 40, 1.2 - error, 1e-12);
	sd_record_free(&r);
}

static void idle_time_without_a_poller_is_not_accounted_for(void **state)
{
	struct sd_run run = {0};
	struct sd_run_parts p;

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(1);
	run.metric[SD_METRIC_USER] = SD_OK(1);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(0);
	run.metric[SD_METRIC_RUN_DELAY] = SD_OK(1);
	assert_int_equal(sd_run_parts_split(&run, 2, &p), SD_RUN_PARTS_CPU | SD_RUN_PARTS_SPLIT);
	assert_near(p.part[SD_PART_UNKNOWN], .5, 1e-12);
}

static void children_nobody_waited_for_count(void **state)
{
	struct sd_run run = {0};
	struct sd_run_parts p;

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(2);
	run.metric[SD_METRIC_USER] = SD_OK(.9);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(.1);
	run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(2);
	sd_run_parts_split(&run, 1, &p);
	assert_near(p.part[SD_PART_USER], .9, 1e-12);
	assert_near(p.part[SD_PART_SYSTEM], .1, 1e-12);
	run.metric[SD_METRIC_USER] = SD_NOT(DENIED);
	assert_int_equal(sd_run_parts_split(&run, 1, &p), SD_RUN_PARTS_CPU);
	assert_near(p.part[SD_PART_USER], 1, 1e-12);
}

/* 10,000 switches of 10 us, which neither ticks nor perf's clock saw: a fifth of the time. */
static void time_of_switches_is_the_kernels(void **state)
{
	struct sd_run run = {0};
	struct sd_run_parts p;

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(1);
	run.metric[SD_METRIC_USER] = SD_OK(.4);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(.1);
	run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(.4);
	run.metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(9000);
	run.metric[SD_METRIC_INVOLUNTARY_SWITCHES] = SD_OK(1000);
	sd_run_parts_split(&run, 1, &p);
	assert_near(p.part[SD_PART_USER], .32, 1e-12);
	assert_near(p.part[SD_PART_SYSTEM], .18, 1e-12);
	/* no switch takes longer than 20 us: what else the clock lacks is no switch */
	run.metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(1500);
	sd_run_parts_split(&run, 1, &p);
	assert_near(p.part[SD_PART_USER], .4 * (1 - .05 / .5), 1e-12);
	run.metric[SD_METRIC_TASK_CLOCK] = SD_NOT(DENIED);
	sd_run_parts_split(&run, 1, &p);
	assert_near(p.part[SD_PART_USER], .4, 1e-12);
}

/* Half of what spins, and of what gives up the CPU in such loops, waits for one that works. */
static void who_yields_waits_for_what_the_spinning_waits_for(void **state)
{
	struct sd_use use[] = {{.activity = SD_ACTIVITY_USEFUL, .seconds = 2},
		{.activity = SD_ACTIVITY_SPIN_OTHER, .seconds = .5},
		{.activity = SD_ACTIVITY_KERNEL_YIELD, .seconds = 1.5}};
	struct sd_run run = {.sampled = {.status = SD_STATUS_OK,
				     .kernel = SD_STATUS_OK,
				     .use = use,
				     .n_use = 3,
				     .spun_serial = SD_OK(1),
				     .spun_imbalance = SD_OK(0)}};
	struct sd_run_parts p;

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(2);
	run.metric[SD_METRIC_USER] = SD_OK(2.5);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(1.5);
	sd_run_parts_split(&run, 2, &p);
	assert_near(p.part[SD_PART_USER] * 4, 2, 1e-12);
	assert_near(p.part[SD_PART_SYSTEM] * 4, 0, 1e-12);
	assert_near(p.part[SD_PART_SPIN] * 4, .25, 1e-12);
	assert_near(p.part[SD_PART_SYSTEM_YIELD] * 4, .75, 1e-12);
	assert_near(sd_run_parts_spun(&p, SD_PART_SPIN_SERIAL) * 4, 1, 1e-12);
	assert_near(sd_run_parts_user(&p) * 4, 2.5, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_any_run_sum_to_its_capacity),
		cmocka_unit_test(idle_time_goes_where_the_kernel_and_the_poller_say),
		cmocka_unit_test(a_gap_within_the_pollers_error_is_shared_among_what_it_saw),
		cmocka_unit_test(idle_time_without_a_poller_is_not_accounted_for),
		cmocka_unit_test(children_nobody_waited_for_count),
		cmocka_unit_test(time_of_switches_is_the_kernels),
		cmocka_unit_test(who_yields_waits_for_what_the_spinning_waits_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
