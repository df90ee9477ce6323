/*
 * Programs that spend their user time taking and releasing locks for which nobody sleeps: the lock
 * is named where more cores make that dearer, and not where it costs what it did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/make_simulated.h"
#include "support/near.h"

enum { RUNS = 8, EIGHT = 8 };

/* 10 s of user time on one core, one of it at locks; on eight in 2.5 s 20, `locking` at locks. */
static void make(struct sd_record *r, double locking)
{
	static const unsigned cores[] = {1, EIGHT};
	static const struct sample before = {.wall = 10, .user = 10},
				   after = {.wall = 2.5, .user = 20};
	static const char app[] = "/home/u/app", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	unsigned look, take;

	record_make(r, cores, 2);
	r->calibration.line = SD_OK(100e-9);
	look = make_call(r, make_call(r, 0, "main", "/home/u/app.c", 10, app), "look",
		"/home/u/app.c", 88, app);
	take = make_call(r, look, "__pthread_rwlock_rdlock", NULL, 0, libc);
	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 0, &before, f);

		make_use(run, look, SD_ACTIVITY_USEFUL, 9 * f);
		make_use(run, take, SD_ACTIVITY_USEFUL, f);
		run = record_sample(r, 1, &after, f);
		make_use(run, look, SD_ACTIVITY_USEFUL, (20 - locking) * f);
		make_use(run, take, SD_ACTIVITY_USEFUL, locking * f);
	}
}

/* The moves of one line, which the growth is worth. */
static struct sd_sim_contested *simulate(struct sd_record *r)
{
	const double moves = 100e6;
	struct sd_simulated *s;

	make_simulated(r, 0);
	s = make_simulated(r, 1);
	for (size_t i = 0; i < s->n_thread; i++)
		s->thread[i].hitm_load = moves / (double)s->n_thread;
	return make_false_line(r, s, moves);
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

static void without_addresses_it_is_possible(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_finding *f;

	(void)state;
	make(&r, 11);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = finding_of(&a, SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_near(f->cores.value, (11. - 1) / 2.5, .05);
	assert_true(f->n_where > 0);
	assert_string_equal(f->where[0].function, "look");
	assert_int_equal(f->where[0].line, 88);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_POSSIBLE);
	done(&r, &a);
}

static void the_same_bytes_are_one_lock(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_sim_contested *l;

	(void)state;
	make(&r, 11);
	l = simulate(&r);
	l->sharing = SD_SIM_TRUE;
	l->separated = SD_NOT(ABSENT);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	done(&r, &a);
}

static void different_locks_of_one_line_are_false_sharing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r, 11);
	simulate(&r);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict, SD_VERDICT_RULED_OUT);
	done(&r, &a);
}

/*
 * A mixed line, half of whose moves would go with each thread's bytes apart, in the functions that
 * take a lock: nobody can move the bytes of one lock apart, only different locks.
 */
static void the_bytes_of_one_lock_are_not_false_sharing(void **state)
{
	for (int own = 0; own < 2; own++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_sim_contested *l;
		const struct sd_finding *lock;

		(void)state;
		make(&r, 11);
		l = simulate(&r);
		l->sharing = SD_SIM_MIXED;
		l->separated = SD_OK((l->hitm_load + l->hitm_store) / 2);
		l->code[0].node = make_call(&r, l->code[0].node, "__pthread_rwlock_rdlock_full64",
			NULL, 0, "/usr/lib/x86_64-linux-gnu/libc.so.6");
		for (size_t i = 0; i < l->n_sharer; i++) {
			l->sharer[i].read = 0xffffff;
			l->sharer[i].written = own ? UINT64_C(0xff) << 8 * (i % 8) : 0xf00;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		lock = finding_of(&a, SD_CAUSE_LOCK_CONTENTION);
		if (own) {
			assert_int_not_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
				SD_VERDICT_RULED_OUT);
			assert_true(lock->cores.low < 3);
		} else {
			assert_int_equal(lock->verdict, SD_VERDICT_LIKELY);
			assert_true(lock->cores.low > 3.5);
			assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
				SD_VERDICT_RULED_OUT);
			assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict,
				SD_VERDICT_RULED_OUT);
		}
		done(&r, &a);
	}
}

/* The growth is elsewhere: shared lines of other code are not the lock's. */
static void locks_that_cost_what_they_did_are_ruled_out(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_sim_contested *l;

	(void)state;
	make(&r, 1);
	l = simulate(&r);
	l->sharing = SD_SIM_TRUE;
	l->separated = SD_NOT(ABSENT);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_TRUE_SHARING);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_addresses_it_is_possible),
		cmocka_unit_test(the_same_bytes_are_one_lock),
		cmocka_unit_test(different_locks_of_one_line_are_false_sharing),
		cmocka_unit_test(the_bytes_of_one_lock_are_not_false_sharing),
		cmocka_unit_test(locks_that_cost_what_they_did_are_ruled_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
