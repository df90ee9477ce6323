/*
 * A fix may also remove what the cause takes at the reference: only the upper end of the gain has
 * it.
 */
#include "diagnose/analyse/causes/two_points.h"

/* Cores of four that come free when the program gets so many times as fast. */
static double freed(double times)
{
	return 4 * (1 - 1 / times);
}

static struct sd_interval worth(struct sd_record *r, enum sd_cause cause, const struct sample *one,
	const struct sample *many)
{
	struct sd_analysis a;
	struct sd_interval v;

	two_points(r, 4, one, many, 8, .01, 7);
	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, cause);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	v = a.finding[0].worth;
	sd_analysis_free(&a);
	sd_record_free(r);
	return v;
}

/* 8 s of one core; the same cores are lost on four, whether or not some of the 8 s are the cause's
 * as well. */
static void what_the_reference_has_of_a_cause_raises_the_upper_end_alone(void **state)
{
	static const struct {
		enum sd_cause cause;
		struct sample one, many, also_one, also_many; /* also: the reference has some */
		double cores;                                 /* of that */
	} row[] = {
		{SD_CAUSE_KERNEL_MEMORY, {.wall = 8, .user = 8},
			{.wall = 4, .user = 8, .system = 8}, {.wall = 8, .user = 6, .system = 2},
			{.wall = 4, .user = 6, .system = 10}, .5},
		{SD_CAUSE_DISK, {.wall = 8, .user = 8},
			{.wall = 8, .user = 8, .idle = {[SD_IDLE_DISK] = 24}},
			{.wall = 12, .user = 8, .idle = {[SD_IDLE_DISK] = 4}},
			{.wall = 8, .user = 8, .idle = {[SD_IDLE_DISK] = 24}}, .5},
		{SD_CAUSE_LOCK_CONTENTION, {.wall = 8, .user = 8},
			{.wall = 4, .user = 8, .idle = {[SD_IDLE_LOCK] = 8}},
			{.wall = 10, .user = 8, .idle = {[SD_IDLE_LOCK] = 2}},
			{.wall = 4, .user = 8, .idle = {[SD_IDLE_LOCK] = 8}}, .5},
		/* it is not serial code that the kernel worked for */
		{SD_CAUSE_SERIAL_CODE, {.wall = 8, .user = 8},
			{.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}},
			{.wall = 8, .user = 6, .system = 2},
			{.wall = 5, .user = 6, .system = 2, .idle = {[SD_IDLE_SERIAL] = 12}}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		const struct sd_interval v = worth(&r, row[i].cause, &row[i].one, &row[i].many);
		const struct sd_interval also =
			worth(&r, row[i].cause, &row[i].also_one, &row[i].also_many);
		/* what it has on four cores is the same, less what it took on one */
		const double less = row[i].one.wall - row[i].also_one.wall < 0 ? row[i].cores : 0;

		assert_near(freed(also.low), freed(v.low) - less, .05);
		assert_near(freed(also.value), freed(v.value) - less, .05);
		assert_near(freed(also.high), freed(v.high) - less + row[i].cores, .05);
	}
}

/* Samples say what is in such a function: `mine` of the 8 s of one core, and the lock on four. */
static struct sd_interval worth_of_calls(const char *function, enum sd_cause cause, double mine)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 4, .user = 8, .idle = {[SD_IDLE_LOCK] = 8}};
	static const unsigned cores[] = {1, 4};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_interval v;
	unsigned work, called;

	record_make(&r, cores, 2);
	work = make_call(&r, 0, "work", "/src/a.c", 10, "/app/a");
	called = make_call(&r, work, function, NULL, 0, "/usr/lib/libc.so.6");
	for (size_t i = 0; i < 16; i++) {
		struct sd_run *const run =
			record_sample(&r, i % 2, i % 2 ? &many : &one, 1 + .001 * (double)i);
		struct sd_use *u;

		make_use(run, work, SD_ACTIVITY_USEFUL, 8 - mine);
		u = make_use(run, called, SD_ACTIVITY_USEFUL, mine);
		if (i % 2)
			u->blame = u->blame_lock = 8;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, cause);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	v = a.finding[0].worth;
	sd_analysis_free(&a);
	sd_record_free(&r);
	return v;
}

static void its_calls_on_one_core_may_go_as_well(void **state)
{
	static const struct {
		const char *function;
		enum sd_cause cause;
	} row[] = {{"malloc", SD_CAUSE_ALLOCATOR}, {"pthread_mutex_lock", SD_CAUSE_LOCK_CONTENTION},
		{"pthread_spin_lock", SD_CAUSE_LOCK_CONTENTION},
		{"GOMP_critical_start", SD_CAUSE_LOCK_CONTENTION},
		{"__kmpc_critical", SD_CAUSE_LOCK_CONTENTION},
		{"omp_set_lock", SD_CAUSE_LOCK_CONTENTION}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_interval few = worth_of_calls(row[i].function, row[i].cause, .4);
		const struct sd_interval more = worth_of_calls(row[i].function, row[i].cause, 4.4);

		assert_near(freed(more.low), freed(few.low), .05);
		assert_near(freed(more.value), freed(few.value), .05);
		assert_near(freed(more.high), freed(few.high) + 1, .05); /* 4 s in 4 */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_reference_has_of_a_cause_raises_the_upper_end_alone),
		cmocka_unit_test(its_calls_on_one_core_may_go_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
