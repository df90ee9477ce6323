/* Quota, pressure, steal and foreign CPU time, on fake trees. */
#include "probes/probes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <cmocka.h>

#include "support/fakeproc.h"

static unsigned cpu_numbers[] = {1, 3};
static const struct sd_cpulist cpus = {.cpu = cpu_numbers, .n = 2};

struct scene {
	char root[64];
	struct sd_probe_target target;
	void *state;
	struct sd_run run;
	double begun, took; /* s: what ticks can tell depends on it */
	int tries;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_scene(void **state)
{
	struct scene *s = calloc(1, sizeof *s);

	if (!s)
		return -1;
	fake_make(s->root);
	s->target = (struct sd_probe_target){
		.pid = 200, .subreaper = 100, .cpus = &cpus, .cores = 2, .root = s->root};
	*state = s;
	return 0;
}

static int close_scene(void **state)
{
	struct scene *s = *state;

	fake_remove(s->root);
	free(s);
	return 0;
}

static void begin(struct scene *s, const struct sd_probe *probe)
{
	s->begun = now_s();
	assert_int_equal(probe->open(&s->state, &s->target), 0);
	probe->start(s->state);
}

static void end(struct scene *s, const struct sd_probe *probe)
{
	probe->stop(s->state, &s->run);
	probe->close(s->state);
	s->took = now_s() - s->begun;
}

static void expect(const struct scene *s, enum sd_metric m, enum sd_status status, double value)
{
	const struct sd_value v = s->run.metric[m];

	if (v.status != status)
		fail_msg("%s is %s, not %s", sd_metric_info[m].name, sd_status_name(v.status),
			sd_status_name(status));
	if (sd_has(v) && fabs(v.value - value) > 1e-9)
		fail_msg("%s is %g, not %g", sd_metric_info[m].name, v.value, value);
}

/* ---- quota ---- */

static void plant_groups(const struct scene *s, int version)
{
	const char *where = version == 1 ? "cgroup/cpu" : "cgroup";

	fake_write(s->root, "proc/200/cgroup",
		version == 1 ? "3:cpu,cpuacct:/a/b\n0::/\n" : "0::/a/b\n");
	fake_write(s->root, "proc/self/mountinfo", "30 20 0:25 / /%s rw - %s x rw%s\n", where,
		version == 1 ? "cgroup" : "cgroup2", version == 1 ? ",cpu,cpuacct" : "");
}

static void put_stat(const struct scene *s, int version, const char *group, int periods,
	int throttled, long long us)
{
	char path[128];

	snprintf(path, sizeof path, "%s%s/cpu.stat", version == 1 ? "cgroup/cpu" : "cgroup", group);
	fake_write(s->root, path, "%snr_periods %d\nnr_throttled %d\n%s %lld\n",
		version == 1 ? "" : "usage_usec 5\nuser_usec 3\nsystem_usec 2\n", periods,
		throttled, version == 1 ? "throttled_time" : "throttled_usec",
		version == 1 ? us * 1000 : us);
}

static void the_group_that_was_throttled_longest_counts(void **state)
{
	struct scene *s = *state;

	for (int version = 1; version <= 2; version++) {
		plant_groups(s, version);
		put_stat(s, version, "/a/b", 10, 1, 1000);
		put_stat(s, version, "/a", 100, 50, 7000000);
		begin(s, &sd_probe_cpu_quota);
		put_stat(s, version, "/a/b", 20, 2, 501000);
		put_stat(s, version, "/a", 110, 58, 7800000);
		end(s, &sd_probe_cpu_quota);
		expect(s, SD_METRIC_THROTTLED, SD_STATUS_OK, 0.8);
		expect(s, SD_METRIC_PERIODS, SD_STATUS_OK, 10);
		expect(s, SD_METRIC_THROTTLED_PERIODS, SD_STATUS_OK, 8);
	}
}

static void a_group_that_was_never_throttled_is_a_measured_zero(void **state)
{
	struct scene *s = *state;

	plant_groups(s, 2);
	put_stat(s, 2, "/a/b", 0, 0, 0);
	begin(s, &sd_probe_cpu_quota);
	end(s, &sd_probe_cpu_quota);
	expect(s, SD_METRIC_THROTTLED, SD_STATUS_OK, 0);
}

static void without_the_controller_nothing_is_known_of_a_quota(void **state)
{
	struct scene *s = *state;

	plant_groups(s, 2);
	fake_write(s->root, "cgroup/a/b/cpu.stat", "usage_usec 5\n");
	begin(s, &sd_probe_cpu_quota);
	end(s, &sd_probe_cpu_quota);
	expect(s, SD_METRIC_THROTTLED, SD_STATUS_ABSENT, 0);
	expect(s, SD_METRIC_PERIODS, SD_STATUS_ABSENT, 0);
}

static void no_cgroups_at_all_are_no_error(void **state)
{
	struct scene *s = *state;

	begin(s, &sd_probe_cpu_quota);
	end(s, &sd_probe_cpu_quota);
	expect(s, SD_METRIC_THROTTLED, SD_STATUS_ABSENT, 0);
}

static void counters_that_run_backwards_or_overflow_measure_nothing(void **state)
{
	struct scene *s = *state;

	plant_groups(s, 2);
	put_stat(s, 2, "/a/b", 10, 5, 1000);
	begin(s, &sd_probe_cpu_quota);
	put_stat(s, 2, "/a/b", 10, 5, 999);
	end(s, &sd_probe_cpu_quota);
	expect(s, SD_METRIC_THROTTLED, SD_STATUS_ABSENT, 0);
	fake_write(s->root, "cgroup/a/b/cpu.stat",
		"nr_periods 1\nnr_throttled 1\nthrottled_usec 18446744073709551616\n");
	begin(s, &sd_probe_cpu_quota);
	end(s, &sd_probe_cpu_quota);
	expect(s, SD_METRIC_THROTTLED, SD_STATUS_ABSENT, 0);
}

/* ---- pressure ---- */

static void put_pressure(const struct scene *s, const char *what, long long us)
{
	char path[64];

	snprintf(path, sizeof path, "proc/pressure/%s", what);
	fake_write(s->root, path,
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=%lld\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n",
		us);
}

static void pressure_is_what_was_added_while_the_program_ran(void **state)
{
	struct scene *s = *state;

	put_pressure(s, "cpu", 1000000);
	put_pressure(s, "io", 5);
	begin(s, &sd_probe_pressure);
	put_pressure(s, "cpu", 1250000);
	put_pressure(s, "io", 4);
	end(s, &sd_probe_pressure);
	expect(s, SD_METRIC_PSI_CPU, SD_STATUS_OK, 0.25);
	expect(s, SD_METRIC_PSI_IO, SD_STATUS_ABSENT, 0);
	expect(s, SD_METRIC_PSI_MEMORY, SD_STATUS_UNSUPPORTED, 0);
}

/* ---- steal and foreign time ---- */

static void put_cpus(const struct scene *s, int user, int steal)
{
	fake_write(s->root, "proc/stat",
		"cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 9999 0 0 0 0 0 0 9999 0 0\n"
		"cpu1 %d 0 100 50 7 0 0 %d 0 0\ncpu3 100 0 0 0 0 0 0 100 0 0\nintr 1\n",
		user, steal);
}

/* Waits long enough for 100 Hz ticks to say something: noisy from 0.16 s on with two CPUs. */
static void let_time_pass(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* A busy machine made the run longer than that: another try, of a few. */
static int took_longer(struct scene *s, double seconds)
{
	if (s->took <= seconds)
		return 0;
	if (++s->tries < 20)
		return 1;
	fprintf(stderr, "SKIP: 20 runs took longer than %g s on this machine\n", seconds);
	skip();
	return 0;
}

static void steal_and_foreign_time_are_of_the_runs_own_cpus(void **state)
{
	struct scene *s = *state;

	if (sysconf(_SC_CLK_TCK) != 100)
		skip();
	do {
		put_cpus(s, 1000, 20);
		begin(s, &sd_probe_steal_time);
		let_time_pass();
		put_cpus(s, 1100, 23);
		s->run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(0.25);
		end(s, &sd_probe_steal_time);
	} while (took_longer(s, 0.3));
	/* so short a run cannot be more than noisy */
	expect(s, SD_METRIC_STEAL, SD_STATUS_NOISY, 0.03);
	assert_int_equal(s->run.metric[SD_METRIC_FOREIGN].status, SD_STATUS_NOISY);
	/* 1 s of user time on CPU 1, less the tree's and the little that this test used */
	assert_true(s->run.metric[SD_METRIC_FOREIGN].value <= 0.75 + 1e-9);
	assert_true(s->run.metric[SD_METRIC_FOREIGN].value >= 0.5);
}

/* A counter that was ended at an exec, or that misses how processes end, makes nobody's time
 * others'. */
static void what_the_reaped_had_beyond_the_counter_is_the_trees(void **state)
{
	struct scene *s = *state;

	if (sysconf(_SC_CLK_TCK) != 100)
		skip();
	do {
		put_cpus(s, 1000, 20);
		fake_write(s->root, "proc/100/stat",
			"100 (k) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5\n");
		begin(s, &sd_probe_steal_time);
		let_time_pass();
		put_cpus(s, 1100, 20);
		fake_write(s->root, "proc/100/stat",
			"100 (k) S 1 1 1 0 -1 0 0 0 0 0 0 0 90 10 20 0 1 0 5\n");
		s->run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(26e-6);
		end(s, &sd_probe_steal_time);
	} while (took_longer(s, 0.3));
	expect(s, SD_METRIC_FOREIGN, SD_STATUS_NOISY, 0);
}

/* The reading after the run comes when this process has a CPU again. */
static void what_others_do_after_the_run_is_not_of_it(void **state)
{
	struct scene *s = *state;

	if (sysconf(_SC_CLK_TCK) != 100)
		skip();
	do {
		put_cpus(s, 1000, 20);
		begin(s, &sd_probe_steal_time);
		let_time_pass();
		put_cpus(s, 1100, 20);
		s->run.metric[SD_METRIC_WALL] = SD_OK(.4);
		s->run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(.25);
		end(s, &sd_probe_steal_time);
	} while (took_longer(s, 0.3));
	/* two CPUs, .4 s each, less the tree's .25 s */
	expect(s, SD_METRIC_FOREIGN, SD_STATUS_NOISY, .55);
}

static void a_run_shorter_than_the_ticks_has_neither(void **state)
{
	struct scene *s = *state;

	do {
		put_cpus(s, 1000, 20);
		begin(s, &sd_probe_steal_time);
		put_cpus(s, 1001, 21);
		s->run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(0);
		end(s, &sd_probe_steal_time);
	} while (took_longer(s, 0.02));
	expect(s, SD_METRIC_STEAL, SD_STATUS_ABSENT, 0);
	expect(s, SD_METRIC_FOREIGN, SD_STATUS_ABSENT, 0);
}

static void a_cpu_that_is_not_shown_makes_both_absent(void **state)
{
	struct scene *s = *state;

	fake_write(s->root, "proc/stat", "cpu1 1 2 3 4 5 6 7 8 9 10\n");
	begin(s, &sd_probe_steal_time);
	let_time_pass();
	end(s, &sd_probe_steal_time);
	expect(s, SD_METRIC_STEAL, SD_STATUS_ABSENT, 0);
	expect(s, SD_METRIC_FOREIGN, SD_STATUS_ABSENT, 0);
}

static void put_keeper(const struct scene *s, int cutime, int cstime)
{
	fake_write(s->root, "proc/100/stat",
		"100 (keeper) S 1 1 1 0 -1 0 0 0 0 0 1 2 %d %d 20 0 1 0 9 0 0\n", cutime, cstime);
}

static void without_perf_the_subreapers_children_are_the_tree(void **state)
{
	struct scene *s = *state;

	do {
		put_cpus(s, 1000, 20);
		put_keeper(s, 5, 5);
		begin(s, &sd_probe_steal_time);
		let_time_pass();
		put_cpus(s, 1100, 20);
		put_keeper(s, 25, 10);
		end(s, &sd_probe_steal_time);
	} while (took_longer(s, 0.3));
	assert_int_equal(s->run.metric[SD_METRIC_FOREIGN].status, SD_STATUS_NOISY);
	assert_true(s->run.metric[SD_METRIC_FOREIGN].value <= 0.75 + 1e-9);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, open_scene, close_scene)
	const struct CMUnitTest tests[] = {
		TEST(the_group_that_was_throttled_longest_counts),
		TEST(a_group_that_was_never_throttled_is_a_measured_zero),
		TEST(without_the_controller_nothing_is_known_of_a_quota),
		TEST(no_cgroups_at_all_are_no_error),
		TEST(counters_that_run_backwards_or_overflow_measure_nothing),
		TEST(pressure_is_what_was_added_while_the_program_ran),
		TEST(steal_and_foreign_time_are_of_the_runs_own_cpus),
		TEST(what_the_reaped_had_beyond_the_counter_is_the_trees),
		TEST(what_others_do_after_the_run_is_not_of_it),
		TEST(a_run_shorter_than_the_ticks_has_neither),
		TEST(a_cpu_that_is_not_shown_makes_both_absent),
		TEST(without_perf_the_subreapers_children_are_the_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
