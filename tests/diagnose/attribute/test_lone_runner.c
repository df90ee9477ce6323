#include "attribute/lone_runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "threads/libgomp_barrier.h"

#define DOCK 0x1004
#define DOOR 0x2004

struct row {
	const char *what;
	struct sd_lone_runner_case c;
	int waited;
	enum sd_idle verdict;
};

#define MASTER .pid = 10, .tid = 10
#define WORKER .pid = 10, .tid = 11

static const struct row rows[] = {
	{"the only thread", {MASTER}, 0, SD_IDLE_SERIAL},
	{"master, workers at a place it never waits at", {MASTER, .address = DOCK}, 0,
		SD_IDLE_SERIAL},
	{"master, late at a barrier where it waits at other times", {MASTER, .address = DOOR}, 1,
		SD_IDLE_IMBALANCE},
	{"master, late at a barrier of libgomp",
		{MASTER, .address = DOOR, .gomp = SD_LIBGOMP_BARRIER_REGION}, 0, SD_IDLE_IMBALANCE},
	{"master, workers at the dock of libgomp",
		{MASTER, .address = DOCK, .gomp = SD_LIBGOMP_BARRIER_DOCK}, 1, SD_IDLE_SERIAL},
	{"first thread, other processes ended before", {MASTER, .overlapped = 1}, 0,
		SD_IDLE_IMBALANCE},
	{"first thread, its children wait at pipes", {MASTER, .feeds = 1, .overlapped = 1}, 0,
		SD_IDLE_SERIAL},
	{"worker beside children of its process", {WORKER, .feeds = 1, .overlapped = 1}, 0,
		SD_IDLE_IMBALANCE},
	{"master in the code it shares with threads that have ended",
		{MASTER, .code = SD_LONE_RUNNER_ALIKE}, 0, SD_IDLE_IMBALANCE},
	{"master in such code beside a barrier",
		{MASTER, .address = DOOR, .code = SD_LONE_RUNNER_ALIKE}, 0, SD_IDLE_IMBALANCE},
	{"worker, late", {WORKER, .overlapped = 1}, 0, SD_IDLE_IMBALANCE},
	{"worker, late at a barrier", {WORKER, .address = DOOR, .overlapped = 1}, 0,
		SD_IDLE_IMBALANCE},
	{"worker that never had company", {WORKER}, 0, SD_IDLE_SERIAL},
	{"worker, others wait where nobody else does", {WORKER, .address = DOOR}, 0,
		SD_IDLE_SERIAL},
	{"worker, others wait where it does too", {WORKER, .address = DOOR}, 1, SD_IDLE_IMBALANCE},
};

static void the_role_of_the_only_runner_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (sd_lone_runner_verdict(&rows[i].c, rows[i].waited) != rows[i].verdict)
			fail_msg("%s", rows[i].what);
}

static void what_is_seen_later_decides_about_before(void **state)
{
	const struct sd_lone_runner_case at_door = {MASTER, .address = DOOR};
	const struct sd_lone_runner_case at_dock = {MASTER, .address = DOCK};
	double idle[SD_IDLE_COUNT] = {0};
	struct sd_lone_runner s = {0};

	(void)state;
	sd_lone_runner_book(&s, &at_door, 1);
	sd_lone_runner_book(&s, &at_dock, 2);
	sd_lone_runner_book(&s, &at_door, 4);
	sd_lone_runner_waited(&s, 10, 10, DOOR);
	sd_lone_runner_waited(&s, 10, 11, DOCK); /* another thread */
	sd_lone_runner_waited(&s, 20, 10, DOCK); /* another process */
	sd_lone_runner_resolve(&s, 1, idle);
	assert_true(idle[SD_IDLE_IMBALANCE] == 5 && idle[SD_IDLE_SERIAL] == 2);
	sd_lone_runner_free(&s);
}

static void moments_without_a_sample_are_as_those_with_one(void **state)
{
	const struct sd_lone_runner_case alike = {MASTER, .code = SD_LONE_RUNNER_ALIKE};
	const struct sd_lone_runner_case elsewhere = {MASTER, .code = SD_LONE_RUNNER_ELSEWHERE};
	const struct sd_lone_runner_case unseen = {MASTER, .code = SD_LONE_RUNNER_UNSEEN};
	const struct sd_lone_runner_case another = {
		.pid = 20, .tid = 20, .code = SD_LONE_RUNNER_UNSEEN};
	double idle[SD_IDLE_COUNT] = {0};
	struct sd_lone_runner s = {0};

	(void)state;
	sd_lone_runner_book(&s, &alike, 3);
	sd_lone_runner_book(&s, &elsewhere, 1);
	sd_lone_runner_book(&s, &unseen, 8);
	sd_lone_runner_book(&s, &another, 16);
	sd_lone_runner_resolve(&s, 1, idle);
	assert_true(idle[SD_IDLE_IMBALANCE] == 3 + 6 && idle[SD_IDLE_SERIAL] == 1 + 2 + 16);
	sd_lone_runner_free(&s);
}

/* Two workers at one address; times alone of the first and the second, together as a share. */
static double lock_of(double one, double two, double together, enum sd_libgomp_barrier gomp)
{
	const struct sd_lone_runner_case a = {WORKER, .address = DOOR, .gomp = gomp};
	struct sd_lone_runner_case b = a;
	double idle[SD_IDLE_COUNT] = {0};
	struct sd_lone_runner s = {0};

	b.tid++;
	sd_lone_runner_book(&s, &a, one);
	sd_lone_runner_book(&s, &b, two);
	sd_lone_runner_waited(&s, a.pid, a.tid, DOOR);
	sd_lone_runner_waited(&s, b.pid, b.tid, DOOR);
	sd_lone_runner_resolve(&s, together, idle);
	sd_lone_runner_free(&s);
	assert_true(idle[SD_IDLE_LOCK] + idle[SD_IDLE_IMBALANCE] == one + two);
	return idle[SD_IDLE_LOCK];
}

static void peers_that_take_turns_wait_for_a_lock(void **state)
{
	(void)state;
	assert_true(lock_of(4, 5, .1, SD_LIBGOMP_BARRIER_UNKNOWN) == 9);
	/* one is always the late one */
	assert_true(lock_of(1, 19, .1, SD_LIBGOMP_BARRIER_UNKNOWN) == 0);
	/* whoever has just left an unfair lock often has it again */
	assert_true(lock_of(1, 2, .1, SD_LIBGOMP_BARRIER_UNKNOWN) == 3);
	/* more than that may as well be a late peer */
	assert_true(lock_of(1, 4, .1, SD_LIBGOMP_BARRIER_UNKNOWN) == 0);
	/* they run together up to the first arrival */
	assert_true(lock_of(4, 5, .5, SD_LIBGOMP_BARRIER_UNKNOWN) == 0);
	/* known to be a barrier */
	assert_true(lock_of(4, 5, .1, SD_LIBGOMP_BARRIER_REGION) == 0);
}

static void nothing_is_lost_with_any_number_of_cases(void **state)
{
	double idle[SD_IDLE_COUNT] = {0};
	struct sd_lone_runner s = {0};

	(void)state;
	for (int i = 1; i <= 100000; i++) {
		const struct sd_lone_runner_case c = {
			.pid = i, .tid = i, .address = (uint64_t)i * 8, .overlapped = i % 2};

		sd_lone_runner_book(&s, &c, 1);
		sd_lone_runner_waited(&s, i, i, (uint64_t)i * 8);
	}
	sd_lone_runner_resolve(&s, 1, idle);
	assert_true(idle[SD_IDLE_IMBALANCE] + idle[SD_IDLE_SERIAL] == 100000);
	sd_lone_runner_free(&s);
}

/* The words of a barrier of `total` threads, of which some still miss. */
static void put_words(uint32_t word[SD_LIBGOMP_BARRIER_WORDS], uint32_t total, uint32_t awaited,
	uint32_t final, uint32_t used)
{
	for (int i = 0; i < SD_LIBGOMP_BARRIER_WORDS; i++)
		word[i] = 0;
	word[0] = 0x55550010; /* a pointer's lower half */
	word[2] = used + 1;
	word[3] = used;
	word[16] = total;
	word[17] = 8;
	word[32] = awaited;
	word[33] = final;
}

static void libgomps_barriers_are_told_apart_by_their_words(void **state)
{
	static const struct {
		const char *what;
		uint32_t total, awaited, final, used;
		enum sd_libgomp_barrier gomp;
	} words[] = {
		{"the end of a region", 4, 4, 1, 0, SD_LIBGOMP_BARRIER_REGION},
		{"a barrier inside a region", 4, 2, 4, 0, SD_LIBGOMP_BARRIER_REGION},
		{"the dock", 4, 1, 4, 4, SD_LIBGOMP_BARRIER_DOCK},
		{"nobody waits", 4, 4, 4, 4, SD_LIBGOMP_BARRIER_UNKNOWN},
		{"both kinds at once", 4, 3, 3, 4, SD_LIBGOMP_BARRIER_UNKNOWN},
		{"more than there are threads", 9, 1, 9, 0, SD_LIBGOMP_BARRIER_UNKNOWN},
		{"of one", 1, 1, 1, 0, SD_LIBGOMP_BARRIER_UNKNOWN},
		{"more missing than there are", 4, 5, 4, 0, SD_LIBGOMP_BARRIER_UNKNOWN},
		{"something else", 0, 0, 0, 0, SD_LIBGOMP_BARRIER_UNKNOWN},
		{"something else", 2, 0, 0, 0, SD_LIBGOMP_BARRIER_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		uint32_t word[SD_LIBGOMP_BARRIER_WORDS];

		put_words(word, words[i].total, words[i].awaited, words[i].final, words[i].used);
		if (sd_libgomp_barrier_classify(word, 8) != words[i].gomp)
			fail_msg("%s", words[i].what);
	}
}

static void memory_that_is_not_there_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(sd_libgomp_barrier_read(1, 4, 8), SD_LIBGOMP_BARRIER_UNKNOWN);
	assert_int_equal(sd_libgomp_barrier_read(1, 0x1004, 8), SD_LIBGOMP_BARRIER_UNKNOWN);
	assert_int_equal(sd_libgomp_barrier_read(1, UINT64_MAX - 3, 8), SD_LIBGOMP_BARRIER_UNKNOWN);
	assert_int_equal(
		sd_libgomp_barrier_read(0x7fffffff, 0x1004, 8), SD_LIBGOMP_BARRIER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_role_of_the_only_runner_decides),
		cmocka_unit_test(what_is_seen_later_decides_about_before),
		cmocka_unit_test(moments_without_a_sample_are_as_those_with_one),
		cmocka_unit_test(peers_that_take_turns_wait_for_a_lock),
		cmocka_unit_test(nothing_is_lost_with_any_number_of_cases),
		cmocka_unit_test(libgomps_barriers_are_told_apart_by_their_words),
		cmocka_unit_test(memory_that_is_not_there_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
