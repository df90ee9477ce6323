/* Samples of one moment tell who worked, who spun meanwhile, and who met a twin. */
#include "attribute/joint_samples.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#define US UINT64_C(1000)

struct all {
	struct sd_joint_samples snapshot;
	struct sd_stack_times uses;
	struct sd_concurrent_code twins;
	struct sd_joint_samples_sums sums;
	long beside; /* other threads on a CPU at the next samples */
};

static void add_of(
	struct all *a, unsigned thread, uint64_t us, unsigned node, enum sd_activity activity)
{
	const struct sd_moment m = {.kind = SD_MOMENT_SAMPLE,
		.thread = thread,
		.time = us * US,
		.node = node,
		.activity = activity,
		.weight = 2000 * US};

	assert_int_equal(
		sd_joint_samples_add(&a->snapshot, &m, a->beside, &a->uses, &a->twins, &a->sums),
		0);
}

/* Each sample is another thread's. */
static void add(struct all *a, uint64_t us, unsigned node, enum sd_activity activity)
{
	add_of(a, (unsigned)a->snapshot.n, us, node, activity);
}

static void end(struct all *a)
{
	assert_int_equal(sd_joint_samples_end(&a->snapshot, &a->uses, &a->twins, &a->sums), 0);
}

static void done(struct all *a)
{
	sd_joint_samples_free(&a->snapshot);
	sd_stack_times_free(&a->uses);
	sd_concurrent_code_free(&a->twins);
}

static void is(double value, double ms)
{
	assert_true(fabs(value - ms * 1e-3) < 1e-9);
}

static const struct sd_use *row(struct all *a, unsigned node, enum sd_activity activity)
{
	return sd_stack_times_row(&a->uses, node, activity);
}

static void what_spins_beside_one_is_its_and_beside_two_is_of_both(void **state)
{
	struct all a = {.beside = 2};

	(void)state;
	add(&a, 1000, 7, SD_ACTIVITY_USEFUL);
	add(&a, 1020, 9, SD_ACTIVITY_SPIN_BARRIER);
	add(&a, 1030, 9, SD_ACTIVITY_SPIN_BARRIER);
	add(&a, 3000, 7, SD_ACTIVITY_USEFUL);
	add(&a, 3020, 8, SD_ACTIVITY_USEFUL);
	add(&a, 3030, 9, SD_ACTIVITY_SPIN_BARRIER);
	end(&a);
	is(a.sums.useful_alone, 2);
	is(a.sums.spun_serial, 4);
	is(a.sums.spun_imbalance, 2);
	is(row(&a, 7, SD_ACTIVITY_USEFUL)->solo, 2);
	is(row(&a, 7, SD_ACTIVITY_USEFUL)->spun_serial, 4);
	is(row(&a, 7, SD_ACTIVITY_USEFUL)->spun_imbalance, 1);
	is(row(&a, 8, SD_ACTIVITY_USEFUL)->spun_imbalance, 1);
	is(row(&a, 8, SD_ACTIVITY_USEFUL)->solo, 0);
	done(&a);
}

static void who_falls_asleep_in_the_kernel_does_not_work(void **state)
{
	struct all a = {.beside = 1};

	(void)state;
	add(&a, 1000, 7, SD_ACTIVITY_USEFUL);
	add(&a, 1020, 9, SD_ACTIVITY_KERNEL_FUTEX);
	add(&a, 3000, 7, SD_ACTIVITY_USEFUL);
	add(&a, 3020, 8, SD_ACTIVITY_KERNEL_FAULT);
	end(&a);
	is(a.sums.useful_alone, 2);
	is(row(&a, 7, SD_ACTIVITY_USEFUL)->solo, 2);
	is(row(&a, 9, SD_ACTIVITY_KERNEL_FUTEX)->solo, 0);
	done(&a);
}

static void the_clocks_of_many_cpus_tick_within_a_quarter_of_a_period(void **state)
{
	struct all a = {.beside = 49};

	(void)state;
	for (unsigned tick = 1; tick <= 3; tick++)
		for (unsigned cpu = 0; cpu < 50; cpu++)
			add(&a, 2000 * tick + 10 * cpu, cpu + 1,
				cpu ? SD_ACTIVITY_SPIN_BARRIER : SD_ACTIVITY_USEFUL);
	end(&a);
	is(a.sums.useful_alone, 6);
	is(a.sums.spun_serial, 6 * 49);
	for (unsigned tick = 5; tick <= 8; tick++)
		for (unsigned cpu = 0; cpu < 50; cpu++)
			add(&a, 2000 * tick + 10 * cpu, cpu + 1, SD_ACTIVITY_USEFUL);
	end(&a);
	is(a.sums.useful_alone, 6);
	done(&a);
}

/* Waiting for a lock or for a message is not for the work of whoever runs. */
static void spinning_for_a_lock_is_nobodys(void **state)
{
	struct all a = {.beside = 1};

	(void)state;
	add(&a, 1000, 7, SD_ACTIVITY_USEFUL);
	add(&a, 1020, 9, SD_ACTIVITY_SPIN_LOCK);
	end(&a);
	is(a.sums.spun_serial, 0);
	is(row(&a, 7, SD_ACTIVITY_USEFUL)->solo, 2);
	done(&a);
}

static void twins_are_of_one_moment(void **state)
{
	struct sd_frame frame[] = {{0}, {.function = 1}, {.function = 2}};
	struct sd_node node[] = {{0}, {.frame = 1}, {.frame = 2}};
	const struct sd_stacks stacks = {.frame = frame, .n_frame = 3, .node = node, .n_node = 3};
	struct all a = {.beside = 1};

	(void)state;
	assert_int_equal(sd_concurrent_code_open(&a.twins, &stacks), 0);
	add(&a, 1000, 1, SD_ACTIVITY_USEFUL);
	add(&a, 3000, 1, SD_ACTIVITY_USEFUL); /* handed on since */
	add(&a, 5000, 1, SD_ACTIVITY_USEFUL);
	add(&a, 5020, 2, SD_ACTIVITY_USEFUL);
	end(&a);
	assert_int_equal(sd_concurrent_code_met(&a.twins, 1), 0);
	add(&a, 7000, 1, SD_ACTIVITY_USEFUL);
	add(&a, 7020, 1, SD_ACTIVITY_USEFUL);
	add(&a, 7030, 2, SD_ACTIVITY_USEFUL);
	end(&a);
	assert_int_equal(sd_concurrent_code_met(&a.twins, 1), 2);
	assert_int_equal(sd_concurrent_code_met(&a.twins, 2), 0);
	done(&a);
}

/* It was sampled on the CPU that it left and on the one that it came to. */
static void a_thread_that_moves_is_not_its_own_company(void **state)
{
	struct sd_frame frame[] = {{0}, {.function = 1}, {.function = 2}};
	struct sd_node node[] = {{0}, {.frame = 1}, {.frame = 2}};
	const struct sd_stacks stacks = {.frame = frame, .n_frame = 3, .node = node, .n_node = 3};
	struct all a = {.beside = 1};

	(void)state;
	assert_int_equal(sd_concurrent_code_open(&a.twins, &stacks), 0);
	add_of(&a, 3, 1000, 1, SD_ACTIVITY_USEFUL);
	add_of(&a, 4, 1060, 2, SD_ACTIVITY_SPIN_BARRIER);
	add_of(&a, 3, 1120, 1, SD_ACTIVITY_USEFUL);
	end(&a);
	assert_int_equal(sd_concurrent_code_met(&a.twins, 1), 0);
	is(row(&a, 1, SD_ACTIVITY_USEFUL)->solo, 4);
	is(row(&a, 1, SD_ACTIVITY_USEFUL)->spun_serial, 2);
	is(a.sums.spun_serial, 2);
	is(a.sums.spun_imbalance, 0);
	/* one sample of it alone, the other thread gone unseen: there is no word that it spun */
	add_of(&a, 3, 3000, 1, SD_ACTIVITY_USEFUL);
	add_of(&a, 3, 3120, 1, SD_ACTIVITY_USEFUL);
	end(&a);
	is(row(&a, 1, SD_ACTIVITY_USEFUL)->solo, 4);
	/* spins first, works then */
	add_of(&a, 3, 5000, 1, SD_ACTIVITY_SPIN_BARRIER);
	add_of(&a, 3, 5120, 1, SD_ACTIVITY_USEFUL);
	add_of(&a, 4, 5180, 2, SD_ACTIVITY_SPIN_BARRIER);
	end(&a);
	is(row(&a, 1, SD_ACTIVITY_USEFUL)->solo, 6);
	done(&a);
}

/* A phase shorter than what lies between two clocks' ticks: the samples of one moment are
 * of two. */
static void who_was_on_a_cpu_is_known_for_each_sample(void **state)
{
	struct all a = {0};

	(void)state;
	add(&a, 1000, 7, SD_ACTIVITY_USEFUL); /* the other thread waits, and comes after it */
	add(&a, 1120, 8, SD_ACTIVITY_USEFUL);
	a.beside = 1;
	add(&a, 3000, 8, SD_ACTIVITY_USEFUL); /* and leaves its CPU before it is sampled */
	end(&a);
	is(row(&a, 7, SD_ACTIVITY_USEFUL)->solo, 2);
	is(row(&a, 8, SD_ACTIVITY_USEFUL)->solo, 2);
	is(a.sums.useful_alone, 4);
	done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_spins_beside_one_is_its_and_beside_two_is_of_both),
		cmocka_unit_test(who_falls_asleep_in_the_kernel_does_not_work),
		cmocka_unit_test(the_clocks_of_many_cpus_tick_within_a_quarter_of_a_period),
		cmocka_unit_test(spinning_for_a_lock_is_nobodys),
		cmocka_unit_test(twins_are_of_one_moment),
		cmocka_unit_test(a_thread_that_moves_is_not_its_own_company),
		cmocka_unit_test(who_was_on_a_cpu_is_known_for_each_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
