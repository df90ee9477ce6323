/*
 * The width of the CPUs, looked at for real while a second passes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "probes/probes.h"

static void look_at(const struct sd_cpulist *cpus, struct sd_run *run)
{
	const struct sd_probe_target target = {
		.cpus = cpus, .cores = (unsigned)cpus->n, .root = ""};
	const struct timespec t = {.tv_nsec = 600000000};
	void *state = NULL;

	assert_int_equal(sd_probe_core_sharing.open(&state, &target), 0);
	sd_probe_core_sharing.start(state);
	nanosleep(&t, NULL);
	sd_probe_core_sharing.stop(state, run);
	sd_probe_core_sharing.close(state);
}

/* Each bound has its moment: whatever the machine does, they are in this order. */
static void the_narrowest_the_mean_and_the_widest_are_in_order(void **state)
{
	struct sd_cpulist cpus = {0};
	struct sd_run run = {0};
	const struct sd_value *const w = run.metric;
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	for (unsigned i = 0; i < CPU_SETSIZE && cpus.n < 3; i++)
		if (CPU_ISSET(i, &set))
			assert_int_equal(sd_cpulist_add(&cpus, i), 0);
	look_at(&cpus, &run);
	sd_cpulist_free(&cpus);
	if (w[SD_METRIC_WIDTH].status == SD_STATUS_ABSENT) {
		print_message("every look was interrupted: a busy or an emulated machine\n");
		skip();
	}
	assert_int_equal(w[SD_METRIC_WIDTH].status, SD_STATUS_OK);
	assert_true(w[SD_METRIC_WIDTH_LEAST].value > 0);
	assert_true(w[SD_METRIC_WIDTH_LEAST].value <= w[SD_METRIC_WIDTH].value);
	assert_true(w[SD_METRIC_WIDTH].value <= w[SD_METRIC_WIDTH_MOST].value);
}

static void a_run_too_short_to_look_at_has_no_width(void **state)
{
	unsigned first = 0;
	struct sd_cpulist cpus = {.cpu = &first, .n = 1};
	const struct sd_probe_target target = {.cpus = &cpus, .cores = 1, .root = ""};
	struct sd_run run = {0};
	cpu_set_t set;
	void *probe = NULL;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	while (!CPU_ISSET(first, &set))
		first++;
	assert_int_equal(sd_probe_core_sharing.open(&probe, &target), 0);
	sd_probe_core_sharing.start(probe);
	sd_probe_core_sharing.stop(probe, &run);
	sd_probe_core_sharing.close(probe);
	assert_int_equal(run.metric[SD_METRIC_WIDTH].status, SD_STATUS_ABSENT);
}

static void a_cpu_that_the_kernel_refuses_is_denied(void **state)
{
	unsigned none = SD_CPU_MAX - 1;
	const struct sd_cpulist cpus = {.cpu = &none, .n = 1};
	const struct sd_probe_target target = {.cpus = &cpus, .cores = 1, .root = ""};
	struct sd_run run = {0};
	void *probe = NULL;
	int rc;

	(void)state;
	rc = sd_probe_core_sharing.open(&probe, &target);
	assert_true(rc < 0);
	(sd_probe_core_sharing.fail)(rc, &run);
	assert_int_equal(run.metric[SD_METRIC_WIDTH].status, SD_STATUS_DENIED);
	assert_int_equal(run.metric[SD_METRIC_WIDTH_LEAST].status, SD_STATUS_DENIED);
	assert_int_equal(run.metric[SD_METRIC_WIDTH_MOST].status, SD_STATUS_DENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_narrowest_the_mean_and_the_widest_are_in_order),
		cmocka_unit_test(a_run_too_short_to_look_at_has_no_width),
		cmocka_unit_test(a_cpu_that_the_kernel_refuses_is_denied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
