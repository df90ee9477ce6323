/*
 * The probes on real programs of known behaviour: this binary runs itself again as each of them,
 * below a subreaper, as the launcher does. What is asserted holds on a busy machine as well: which
 * class of idle time is the largest of those that the program can cause.
 */
#include <math.h>
#include <string.h>

#include "probes/live_run.h"

static void one_runner_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial", SD_IDLE_SERIAL);
}

static void serial_code_before_a_parallel_part_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial_before_parallel", SD_IDLE_SERIAL);
}

static void serial_code_behind_a_parallel_part_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial_behind_parallel", SD_IDLE_SERIAL);
}

static void serial_code_in_a_thread_of_its_own_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial_in_a_thread", SD_IDLE_SERIAL);
}

static void a_late_worker_is_imbalance(void **state)
{
	(void)state;
	expect_mostly("late_worker", SD_IDLE_IMBALANCE);
	expect_mostly("late_worker_beside_the_first", SD_IDLE_IMBALANCE);
}

/* The same calls as serial code behind a parallel part, with the work put elsewhere. */
static void a_late_first_thread_is_known_by_its_code(void **state)
{
	struct sd_thread_sampler sampler;
	const int rc = sd_thread_sampler_open(&sampler, getpid());

	(void)state;
	sd_thread_sampler_close(&sampler);
	if (rc) {
		fprintf(stderr, "SKIP: a_late_first_thread_is_known_by_its_code: no samples: %s\n",
			strerror(-rc));
		skip();
	}
	expect_mostly("late_first", SD_IDLE_IMBALANCE);
}

static void a_late_process_is_imbalance(void **state)
{
	(void)state;
	expect_mostly("late_process", SD_IDLE_IMBALANCE);
}

static void openmp_is_told_apart_by_where_its_workers_wait(void **state)
{
	(void)state;
	if (!find_gomp()) {
		fprintf(stderr, "SKIP: openmp_is_told_apart: no libgomp.so.1\n");
		skip();
	}
	expect_mostly("omp_half_serial", SD_IDLE_SERIAL);
	expect_mostly("omp_late_first", SD_IDLE_IMBALANCE);
	expect_mostly("omp_late_worker", SD_IDLE_IMBALANCE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_runner_is_serial),
		cmocka_unit_test(serial_code_before_a_parallel_part_is_serial),
		cmocka_unit_test(serial_code_behind_a_parallel_part_is_serial),
		cmocka_unit_test(serial_code_in_a_thread_of_its_own_is_serial),
		cmocka_unit_test(a_late_worker_is_imbalance),
		cmocka_unit_test(a_late_first_thread_is_known_by_its_code),
		cmocka_unit_test(a_late_process_is_imbalance),
		cmocka_unit_test(openmp_is_told_apart_by_where_its_workers_wait),
	};

	if (argc == 2 && strcmp(argv[0], "program") == 0) {
		for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
			if (strcmp(argv[1], programs[i].name) == 0) {
				programs[i].run();
				return 0;
			}
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
