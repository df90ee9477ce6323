/*
 * When a relation between times counts as held (support/tries.h), and what the witness sees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/prctl.h>

#include "support/tries.h"

/* h held, b broken, d disturbed */
static enum tries_state after(const char *tries)
{
	struct tries t = {.test = "a test"};

	for (const char *c = tries; *c; c++)
		tries_count(&t, *c == 'h' ? NULL : "seen", *c == 'd' ? "others" : NULL);
	return tries_state(&t);
}

static void a_relation_holds_at_once_or_in_two_of_three(void **state)
{
	static const struct {
		const char *tries;
		enum tries_state state;
	} row[] = {
		{"", TRIES_MORE},
		{"h", TRIES_HELD},
		{"dh", TRIES_HELD},
		{"dbhh", TRIES_HELD},
		{"b", TRIES_MORE},
		{"bh", TRIES_MORE},
		{"bhh", TRIES_HELD},
		{"bhdh", TRIES_HELD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_int_equal(after(row[i].tries), row[i].state);
}

static void a_relation_is_broken_or_its_tries_were_disturbed(void **state)
{
	(void)state;
	assert_int_equal(after("bb"), TRIES_BROKEN);
	assert_int_equal(after("bhb"), TRIES_BROKEN);
	assert_int_equal(after("bdb"), TRIES_BROKEN);
	assert_int_equal(after("d"), TRIES_MORE);
	assert_int_equal(after("dd"), TRIES_DISTURBED);
	assert_int_equal(after("bhdd"), TRIES_DISTURBED);
}

static void the_reason_is_that_of_the_last_try_that_was_disturbed(void **state)
{
	struct tries t = {.test = "a test"};

	(void)state;
	tries_count(&t, "seen", "first");
	tries_count(&t, "seen", "second");
	tries_count(&t, "seen", NULL);
	tries_count(&t, NULL, "not asked");
	assert_string_equal(t.why, "second");
}

/* One that computes on the CPU of this test has a share of it, in CPU time that is not this test's.
 */
static void a_witness_sees_others(void **state)
{
	struct witness w;
	cpu_set_t set, one;
	pid_t hog;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	witness_start(&w);
	hog = fork();
	assert_true(hog >= 0);
	if (hog == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when an assertion ends this test */
		for (volatile unsigned x = 0;; x++) {
		}
	}
	/* until it had twice what is told, however busy the machine is */
	for (int i = 0; i < 100 && others_share(&w.since) <= 2 * OTHERS_MOST; i++)
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	assert_non_null(witness_disturbed(&w));
	assert_non_null(strstr(w.why, "others took"));
	kill(hog, SIGKILL);
	assert_int_equal(waitpid(hog, NULL, 0), hog);
	assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/* The reference loop is told from one of another length, in both directions. */
static void a_witness_sees_a_changed_core(void **state)
{
	struct witness w;

	(void)state;
	witness_start(&w);
	assert_true(w.loop > 0);
	w.loop *= 100;
	assert_true(witness_change(&w) > WITNESS_STATES);
	w.loop /= 1e4;
	assert_true(witness_change(&w) > WITNESS_STATES);
}

/* Looks that took longer than a loop can where nobody is on the core are told. */
static void a_witness_sees_neighbours_that_stay(void **state)
{
	struct witness w;
	double alone;

	(void)state;
	witness_start(&w);
	assert_true(w.still.looks >= WITNESS_ROUNDS && w.still.slow <= w.still.looks);
	alone = *witness_alone();
	assert_true(alone > 0);
	*witness_alone() = alone / 100; /* as if it had been that much faster once */
	w.still = (struct witness_looks){0, 0};
	witness_look(&w);
	assert_int_equal(w.still.slow, w.still.looks);
	assert_true(witness_shared(&w.still) > OTHERS_MOST);
	*witness_alone() = alone;
}

/* Looks are made while a measurement runs, at every CPU, and end with it. */
static void a_witness_sees_neighbours_that_come_meanwhile(void **state)
{
	struct witness_looks seen;
	struct witness w;
	double alone;

	(void)state;
	witness_start(&w);
	alone = *witness_alone();
	*witness_alone() = alone / 100;
	witness_watch(&w);
	assert_non_null(w.watched);
	/* a wait for three looks, however long a busy machine has them take */
	for (int i = 0; i < 300 && w.watched[0].looks < 3; i++)
		nanosleep(&(struct timespec){.tv_nsec = WITNESS_WATCH_NS}, NULL);
	seen = witness_unwatch(&w);
	assert_true(seen.looks >= 3);
	assert_int_equal(seen.slow, seen.looks);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	seen = witness_unwatch(&w);
	assert_int_equal(seen.looks, 0);
	*witness_alone() = alone;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_relation_holds_at_once_or_in_two_of_three),
		cmocka_unit_test(a_relation_is_broken_or_its_tries_were_disturbed),
		cmocka_unit_test(the_reason_is_that_of_the_last_try_that_was_disturbed),
		cmocka_unit_test(a_witness_sees_others),
		cmocka_unit_test(a_witness_sees_a_changed_core),
		cmocka_unit_test(a_witness_sees_neighbours_that_stay),
		cmocka_unit_test(a_witness_sees_neighbours_that_come_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
