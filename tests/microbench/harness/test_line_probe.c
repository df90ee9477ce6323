/*
 * The line-transfer probe: relations that any machine must show, and what it says where it cannot
 * measure.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/line_probe.h"
#include "support/others.h"

#define CPUS 4096
#define NEEDS_TWO(test)                                                         \
	do {                                                                    \
		if (two(cpu) < 2) {                                             \
			fprintf(stderr, "SKIP: " test ": only one CPU here\n"); \
			skip();                                                 \
		}                                                               \
	} while (0)

/* The first two CPUs of this process's mask; how many there are. */
static unsigned two(unsigned cpu[2])
{
	cpu_set_t *set = CPU_ALLOC(CPUS);
	size_t size = CPU_ALLOC_SIZE(CPUS);
	unsigned n = 0;

	CPU_ZERO_S(size, set);
	assert_int_equal(sched_getaffinity(0, size, set), 0);
	for (unsigned i = 0; i < CPUS && n < 2; i++)
		if (CPU_ISSET_S(i, size, set))
			cpu[n++] = i;
	CPU_FREE(set);
	return n;
}

static unsigned threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* A busy machine may refuse for a while; a number must come in the end. */
static struct sd_value measured(unsigned a, unsigned b)
{
	struct sd_value v = SD_NOT(ABSENT);

	for (int i = 0; i < 200 && v.status == SD_STATUS_ABSENT; i++)
		v = sd_line_probe_transfer(a, b);
	return v;
}

static void one_cpu_has_no_line_transfer(void **state)
{
	struct sd_cpulist none = {0};
	unsigned cpu = 0;
	struct sd_cpulist one = {.cpu = &cpu, .n = 1};

	(void)state;
	assert_int_equal(sd_line_probe_transfer(0, 0).status, SD_STATUS_UNSUPPORTED);
	assert_int_equal(sd_line_probe_state(&none).status, SD_STATUS_UNSUPPORTED);
	assert_int_equal(sd_line_probe_state(&one).status, SD_STATUS_UNSUPPORTED);
}

static void a_cpu_that_does_not_exist_is_denied(void **state)
{
	unsigned cpu[2];
	struct sd_cpulist list = {0};

	(void)state;
	two(cpu);
	assert_int_equal(sd_line_probe_transfer(cpu[0], SD_CPU_MAX - 1).status, SD_STATUS_DENIED);
	assert_int_equal(sd_line_probe_transfer(SD_CPU_MAX, cpu[0]).status, SD_STATUS_DENIED);
	assert_int_equal(sd_line_probe_transfer(4294967295u, cpu[0]).status, SD_STATUS_DENIED);
	assert_int_equal(sd_cpulist_add(&list, cpu[0]), 0);
	assert_int_equal(sd_cpulist_add(&list, SD_CPU_MAX - 1), 0);
	assert_int_equal(sd_line_probe_state(&list).status, SD_STATUS_DENIED);
	sd_cpulist_free(&list);
}

static void a_cpu_outside_the_affinity_mask_is_denied(void **state)
{
	unsigned cpu[2];
	size_t size = CPU_ALLOC_SIZE(CPUS);
	cpu_set_t *before = CPU_ALLOC(CPUS), *one = CPU_ALLOC(CPUS);
	struct sd_value v;

	(void)state;
	NEEDS_TWO("a_cpu_outside_the_affinity_mask_is_denied");
	assert_int_equal(sched_getaffinity(0, size, before), 0);
	CPU_ZERO_S(size, one);
	CPU_SET_S(cpu[0], size, one);
	assert_int_equal(sched_setaffinity(0, size, one), 0);
	v = sd_line_probe_transfer(cpu[0], cpu[1]);
	assert_int_equal(sched_setaffinity(0, size, before), 0);
	CPU_FREE(before);
	CPU_FREE(one);
	assert_int_equal(v.status, SD_STATUS_DENIED);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* s, of the shortest of many samples: in that nobody else had the CPU. */
static double private_line(void)
{
	enum { N = 1000, SAMPLES = 1000 };
	_Atomic uint32_t word = 0;
	double least = 1;

	for (int k = 0; k < SAMPLES; k++) {
		const double start = seconds();
		double took;

		for (int i = 0; i < N; i++) {
			uint32_t seen = atomic_load_explicit(&word, memory_order_acquire);

			atomic_store_explicit(&word, seen + 1, memory_order_release);
		}
		took = (seconds() - start) / N;
		least = took < least ? took : least;
	}
	return least;
}

static void a_contended_line_costs_more_than_a_private_one(void **state)
{
	const struct others since = others_now();
	unsigned cpu[2];
	struct sd_value v;

	(void)state;
	NEEDS_TWO("a_contended_line_costs_more_than_a_private_one");
	v = measured(cpu[0], cpu[1]);
	if (v.status == SD_STATUS_ABSENT)
		others_skip(&since, __func__);
	assert_int_equal(v.status, SD_STATUS_OK);
	assert_true(v.value > private_line());
	assert_true(v.value < 1e-3);
}

static void the_caller_keeps_its_affinity_and_no_thread_is_left(void **state)
{
	unsigned cpu[2], before = threads(), after;
	size_t size = CPU_ALLOC_SIZE(CPUS);
	cpu_set_t *mask[2] = {CPU_ALLOC(CPUS), CPU_ALLOC(CPUS)};

	(void)state;
	NEEDS_TWO("the_caller_keeps_its_affinity_and_no_thread_is_left");
	assert_int_equal(sched_getaffinity(0, size, mask[0]), 0);
	for (int i = 0; i < 20; i++)
		sd_line_probe_transfer(cpu[0], cpu[1]);
	assert_int_equal(sched_getaffinity(0, size, mask[1]), 0);
	assert_true(CPU_EQUAL_S(size, mask[0], mask[1]));
	CPU_FREE(mask[0]);
	CPU_FREE(mask[1]);
	/* A joined thread may still be on its way out of the kernel. */
	for (int i = 0; (after = threads()) != before && i < 1000; i++)
		usleep(1000);
	assert_int_equal(after, before);
}

static void a_state_lies_among_the_pairs_of_its_list(void **state)
{
	const struct others since = others_now();
	unsigned cpu[2];
	struct sd_cpulist list = {.cpu = cpu, .n = 2};
	struct sd_value v = SD_NOT(ABSENT);

	(void)state;
	NEEDS_TWO("a_state_lies_among_the_pairs_of_its_list");
	for (int i = 0; i < 200 && v.status == SD_STATUS_ABSENT; i++)
		v = sd_line_probe_state(&list);
	if (v.status == SD_STATUS_ABSENT)
		others_skip(&since, __func__);
	assert_int_equal(v.status, SD_STATUS_OK);
	assert_true(v.value > 0 && v.value < 1e-3);
}

static void *hog(void *stop)
{
	while (!atomic_load_explicit((_Atomic int *)stop, memory_order_relaxed))
		;
	return NULL;
}

static void a_busy_machine_gives_a_plausible_number_or_none(void **state)
{
	enum { HOGS = 8 };
	unsigned cpu[2];
	_Atomic int stop = 0;
	pthread_t thread[HOGS];

	(void)state;
	NEEDS_TWO("a_busy_machine_gives_a_plausible_number_or_none");
	for (int i = 0; i < HOGS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, hog, &stop), 0);
	for (int i = 0; i < 10; i++) {
		struct sd_value v = sd_line_probe_transfer(cpu[0], cpu[1]);

		assert_true(v.status == SD_STATUS_OK || v.status == SD_STATUS_ABSENT);
		/* A scheduler slice is 1 ms and more: no sample may hold one. */
		if (sd_has(v))
			assert_true(v.value > 0 && v.value < 1e-4);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < HOGS; i++)
		pthread_join(thread[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cpu_has_no_line_transfer),
		cmocka_unit_test(a_cpu_that_does_not_exist_is_denied),
		cmocka_unit_test(a_cpu_outside_the_affinity_mask_is_denied),
		cmocka_unit_test(a_contended_line_costs_more_than_a_private_one),
		cmocka_unit_test(the_caller_keeps_its_affinity_and_no_thread_is_left),
		cmocka_unit_test(a_state_lies_among_the_pairs_of_its_list),
		cmocka_unit_test(a_busy_machine_gives_a_plausible_number_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
