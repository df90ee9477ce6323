/* Which runs and pauses say that others work for the program, and which that they work anyway. */
#include "measure/elsewhere.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/clock.h"

static unsigned numbers[] = {0, 1};
static const struct sd_cpulist cpus = {.cpu = numbers, .n = 2};

/* A run of 1 s: CPU time of its tree and of others, and what its cores idled for. */
static struct sd_run make_run(double own, double others, enum sd_idle idle)
{
	struct sd_run run = {0};

	run.metric[SD_METRIC_WALL] = SD_OK(1);
	run.metric[SD_METRIC_USER] = SD_OK(own);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(0);
	run.metric[SD_METRIC_FOREIGN] = SD_OK(others);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		run.idle[i] = SD_OK(i == (int)idle ? 2 - own : 0);
	return run;
}

static void a_run_asks_when_others_used_far_more_of_its_cpus(void **state)
{
	static const struct {
		double own, others;
		enum sd_idle idle;
		int asks;
	} rows[] = {
		{.01, 1, SD_IDLE_NETWORK, 1},
		{.01, 1, SD_IDLE_UNKNOWN, 1},
		{.01, 1, SD_IDLE_LOCK, 1}, /* its reader waits for the socket, the rest for it */
		{.01, 1, SD_IDLE_SLEEP, 0},
		{.01, 1, SD_IDLE_DISK, 0},
		{.5, 1, SD_IDLE_NETWORK, 0},
		{.01, .05, SD_IDLE_NETWORK, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_run run = make_run(rows[i].own, rows[i].others, rows[i].idle);

		if (sd_elsewhere_asks(&run, &cpus) != rows[i].asks)
			fail_msg("row %zu: not %d", i, rows[i].asks);
	}
}

static void what_was_not_measured_asks_nothing(void **state)
{
	static const enum sd_metric needed[] = {
		SD_METRIC_WALL, SD_METRIC_USER, SD_METRIC_SYSTEM, SD_METRIC_FOREIGN};
	struct sd_run run;

	(void)state;
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		run = make_run(.01, 1, SD_IDLE_NETWORK);
		run.metric[needed[i]].status = SD_STATUS_ABSENT;
		assert_int_equal(sd_elsewhere_asks(&run, &cpus), 0);
	}
	/* waits that nobody saw forbid nothing */
	run = make_run(.01, 1, SD_IDLE_NETWORK);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		run.idle[i] = SD_NOT(ABSENT);
	assert_int_equal(sd_elsewhere_asks(&run, &cpus), 1);
}

/* Runs beside so busy others, each with the pause after it; where both end it is known. */
static void runs_and_pauses_tell_a_daemon_from_a_neighbour(void **state)
{
	static const struct {
		const char *what;
		double run[6], pause[6];
		size_t n;
		int is, maybe;
	} rows[] = {
		{"a daemon", {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, 5, 1, 0},
		{"a daemon beside a neighbour", {1.6, 1.8, 1.7, 1.6, 1.8}, {.7, .8, .6, .7, .8}, 5,
			1, 0},
		{"a daemon, too few runs", {1, 1, 1}, {0, 0, 0}, 3, 0, 1},
		{"no run yet", {0}, {0}, 0, 0, 0},
		{"a neighbour as busy in one pause", {1, 1, 1, 1, 1}, {0, 0, 1, 0, 0}, 5, 0, 0},
		{"a neighbour that is busy once", {1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, 5, 0, 0},
		{"a neighbour that came first", {0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, 6, 0, 0},
		{"a busy neighbour, by chance a bit less in each pause", {1, 1, 1, 1, 1},
			{.99, .97, .98, .99, .96}, 5, 0, 0},
		{"a pause that was not seen", {1, 1, 1, 1, 1}, {0, 0, -1, 0, 0}, 5, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_elsewhere e = {0};

		for (size_t k = 0; k < rows[i].n; k++) {
			const struct sd_run run = make_run(.01, rows[i].run[k], SD_IDLE_NETWORK);

			sd_elsewhere_add(&e, &run, &cpus, rows[i].pause[k]);
		}
		if (sd_elsewhere_is(&e) != rows[i].is || sd_elsewhere_maybe(&e) != rows[i].maybe)
			fail_msg("%s: %d, %d", rows[i].what, sd_elsewhere_is(&e),
				sd_elsewhere_maybe(&e));
	}
}

static void a_stop_ends_the_watching_and_tells_nothing(void **state)
{
	const volatile sig_atomic_t stop = 1;
	const double start = sd_clock_s();

	(void)state;
	assert_true(sd_elsewhere_watch(&cpus, 2, &stop, "") < 0);
	assert_true(sd_clock_s() - start < 2);
}

static void without_the_kernels_account_nothing_is_known(void **state)
{
	(void)state;
	assert_true(sd_elsewhere_watch(&cpus, 0, NULL, "/nowhere") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_asks_when_others_used_far_more_of_its_cpus),
		cmocka_unit_test(what_was_not_measured_asks_nothing),
		cmocka_unit_test(runs_and_pauses_tell_a_daemon_from_a_neighbour),
		cmocka_unit_test(a_stop_ends_the_watching_and_tells_nothing),
		cmocka_unit_test(without_the_kernels_account_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
