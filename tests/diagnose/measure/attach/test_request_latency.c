/* How long the entries of a region took is read back from what the program has counted. */
#include "attach/request_latency.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "markers/scalediag.h"

static double ns(const uint32_t *lasted, double share)
{
	const struct sd_value v = sd_latency_percentile(lasted, share);

	assert_true(sd_has(v));
	return v.value * 1e9;
}

/* Whatever it took, it is told to an eighth: what is counted as one is at most a quarter longer. */
static void one_time_is_told_to_an_eighth(void **state)
{
	(void)state;
	for (double t = 2048; t < 1e12; t *= 1.37) {
		uint32_t lasted[SD_LATENCY_LASTS] = {0};

		lasted[sd_region_last((uint64_t)t)] = 1000;
		assert_true(ns(lasted, .5) > .87 * t && ns(lasted, .5) < 1.13 * t);
		assert_true(ns(lasted, 0) <= t && ns(lasted, 1) > t);
	}
}

static void longer_entries_are_never_counted_as_shorter(void **state)
{
	unsigned last = 0;

	(void)state;
	for (double t = 1; t < 1e19; t *= 1.01) {
		assert_true(sd_region_last((uint64_t)t) >= last);
		last = sd_region_last((uint64_t)t);
	}
	assert_int_equal(last, SD_LATENCY_LASTS - 1);
	assert_int_equal(sd_region_last(0), 0);
	assert_int_equal(sd_region_last(UINT64_MAX), SD_LATENCY_LASTS - 1);
}

static void few_slow_ones_are_the_last_percentile(void **state)
{
	uint32_t lasted[SD_LATENCY_LASTS] = {0};

	(void)state;
	assert_false(sd_has(sd_latency_percentile(lasted, .99)));
	lasted[sd_region_last(100000)] = 985;
	lasted[sd_region_last(5000000)] = 15;
	assert_true(ns(lasted, .98) < 120000);
	assert_true(ns(lasted, .99) > 4000000);
	lasted[sd_region_last(100000)] = 9850;
	assert_true(ns(lasted, .99) < 120000);
}

/* This program itself: what ended before a window is not in it. */
static void a_window_has_what_ended_in_it(void **state)
{
	struct sd_attached self = {0};
	struct sd_latency l;
	pid_t pid = getpid();

	(void)state;
	self.pid = &pid;
	self.n = 1;
	snprintf(self.label, sizeof self.label, "process %d", (int)pid);
	sd_region_begin("request");
	usleep(30000);
	sd_region_end("request");
	assert_int_equal(sd_latency_open(&l, &self, "another", NULL), -ENOENT);
	sd_latency_close(&l);
	assert_int_equal(sd_latency_open(&l, &self, "request", NULL), 0);
	sd_latency_begin(&l);
	assert_false(sd_has(sd_latency_end(&l).p99));
	for (int i = 0; i < 100; i++) {
		sd_region_begin("request");
		sd_region_end("request");
	}
	assert_true(sd_has(sd_latency_end(&l).p50));
	assert_true(sd_latency_end(&l).p50.value < .03);
	assert_true(sd_latency_end(&l).p50.value <= sd_latency_end(&l).p99.value);
	sd_latency_begin(&l);
	sd_region_begin("request");
	usleep(30000);
	sd_region_end("request");
	assert_true(sd_latency_end(&l).p50.value > .025);
	sd_latency_close(&l);
	unlink(getenv("SCALEDIAG_MARKERS"));
}

/* The variable must be there when a process begins: it is found in its environment. */
static int with_markers(char **argv)
{
	char path[64];

	if (getenv("SCALEDIAG_MARKERS"))
		return 0;
	snprintf(path, sizeof path, "/tmp/scalediag-latency-%d", (int)getpid());
	if (setenv("SCALEDIAG_MARKERS", path, 1))
		return 1;
	execv("/proc/self/exe", argv);
	return 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_time_is_told_to_an_eighth),
		cmocka_unit_test(longer_entries_are_never_counted_as_shorter),
		cmocka_unit_test(few_slow_ones_are_the_last_percentile),
		cmocka_unit_test(a_window_has_what_ended_in_it),
	};

	(void)argc;
	if (with_markers(argv))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
