/*
 * The locks themselves, and the kernel that compares them.
 */
#include <unistd.h>

#include "support/kernel_fixture.h"
#include "kernels/kernels.h"
#include "kernels/lock_kinds.h"
#include "harness/team.h"
#include "base/clock.h"

#define THREADS 6 /* more than the CPUs of a small machine: waiters get descheduled */

static const struct sd_lock_kind_load load = {.inside = 20, .outside = 20};

struct crowd {
	const struct sd_lock_kind_kind *kind;
	struct sd_lock_kind lock;
	struct sd_lock_kind_node node[THREADS];
	uint64_t did[THREADS];
	unsigned order[THREADS];
	pthread_t thread[THREADS];
};

struct one {
	struct crowd *crowd;
	unsigned i;
};

static struct crowd *crowd_new(const struct sd_lock_kind_kind *kind)
{
	struct crowd *c = NULL;

	assert_int_equal(posix_memalign((void **)&c, 128, sizeof(*c)), 0);
	memset(c, 0, sizeof(*c));
	c->kind = kind;
	assert_int_equal(kind->init(&c->lock), 0);
	return c;
}

static void crowd_free(struct crowd *c)
{
	c->kind->destroy(&c->lock);
	free(c);
}

static void *hammer(void *arg)
{
	struct one *o = arg;
	struct crowd *c = o->crowd;
	c->did[o->i] = c->kind->hammer(&c->lock, &c->node[o->i], load, sd_clock_s() + 0.03);
	return NULL;
}

/* All at once on a fresh lock; how many of them it let in. */
static unsigned crowd_hammers(const struct sd_lock_kind_kind *kind)
{
	struct crowd *c = crowd_new(kind);
	struct one one[THREADS];
	unsigned let_in = 0;
	uint64_t sum = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		one[i] = (struct one){c, i};
		assert_int_equal(pthread_create(&c->thread[i], NULL, hammer, &one[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(c->thread[i], NULL);
		let_in += c->did[i] > 0;
		sum += c->did[i];
	}
	assert_true(sd_lock_kind_exact(kind, &c->lock, load, sum));
	if (kind->excludes)
		assert_false(sd_lock_kind_exact(kind, &c->lock, load, sum + 1));
	crowd_free(c);
	return let_in;
}

static void every_lock_excludes_even_when_waiters_are_descheduled(void **state)
{
	(void)state;
	for (unsigned k = 0; k < sd_lock_kind_kinds_n; k++) {
		unsigned let_in = 0;

		/* one that is given no CPU before its time is over has not asked */
		for (int i = 0; i < 10 && let_in < THREADS; i++)
			let_in = crowd_hammers(&sd_lock_kinds[k]);
		assert_int_equal(let_in, THREADS);
	}
}

/* Nothing inside: the guarded line stays where it is. */
static void a_bare_lock_guards_nothing(void **state)
{
	const struct sd_lock_kind_load bare = {.inside = 0, .outside = 0};

	(void)state;
	for (unsigned k = 0; k < sd_lock_kind_kinds_n; k++) {
		struct crowd *c = crowd_new(&sd_lock_kinds[k]);
		const uint64_t n =
			c->kind->hammer(&c->lock, &c->node[0], bare, sd_clock_s() + 0.001);

		assert_true(n > 0);
		assert_int_equal(c->lock.guarded, 0);
		assert_true(sd_lock_kind_exact(c->kind, &c->lock, bare, n));
		crowd_free(c);
	}
}

static void *queue_up(void *arg)
{
	struct one *o = arg;
	struct crowd *c = o->crowd;

	c->kind->acquire(&c->lock, &c->node[o->i]);
	c->order[c->lock.guarded++] = o->i;
	c->kind->release(&c->lock, &c->node[o->i]);
	return NULL;
}

/* How many have taken a place in the queue since `before`. */
static int queued(const struct crowd *c, unsigned i)
{
	if (strcmp(c->kind->name, "mcs") == 0)
		return atomic_load(&c->lock.tail) == &c->node[i];
	return atomic_load(&c->lock.ticket.next) == i + 2;
}

static void first_come_is_first_served(const char *name)
{
	for (unsigned k = 0; k < sd_lock_kind_kinds_n; k++) {
		struct sd_lock_kind_node mine = {.next = NULL};
		struct one one[THREADS];
		struct crowd *c;

		if (strcmp(sd_lock_kinds[k].name, name) != 0)
			continue;
		c = crowd_new(&sd_lock_kinds[k]);
		c->kind->acquire(&c->lock, &mine);
		for (unsigned i = 0; i < THREADS; i++) {
			one[i] = (struct one){c, i};
			assert_int_equal(pthread_create(&c->thread[i], NULL, queue_up, &one[i]), 0);
			while (!queued(c, i))
				usleep(100);
		}
		c->kind->release(&c->lock, &mine);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(c->thread[i], NULL);
		for (unsigned i = 0; i < THREADS; i++)
			assert_int_equal(c->order[i], i);
		crowd_free(c);
		return;
	}
	fail_msg("no lock named %s", name);
}

static void ticket_lock_serves_in_order_of_arrival(void **state)
{
	(void)state;
	first_come_is_first_served("ticket");
}

static void mcs_lock_serves_in_order_of_arrival(void **state)
{
	(void)state;
	first_come_is_first_served("mcs");
}

/* Both locks are one locked instruction and a store, or two locked instructions; and work inside
 * and outside takes its time. */
static int locks_cost(const struct fixture *f)
{
	const double add =
		fixture_median(f, "lock=atomic-add inside=0ns outside=0ns quantity=cost", 1);

	fixture_rows_are_sane(f, "locks");
	return fixture_median(f, "lock=mutex inside=0ns outside=0ns quantity=cost", 1) >
		       0.8 * add &&
	       fixture_median(f, "lock=mcs inside=0ns outside=0ns quantity=cost", 1) > 0.8 * add &&
	       fixture_median(f, "lock=mutex inside=0ns outside=0ns quantity=throughput", 1) >
		       fixture_median(
			       f, "lock=mutex inside=100ns outside=400ns quantity=throughput", 1);
}

static void a_locked_counter_costs_more_than_the_atomic_instruction_it_is_made_of(void **state)
{
	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	fixture_must_hold(&sd_kernel_locks, 1, 2, locks_cost, __func__);
}

/* Two threads that always want it take turns: one cannot get two for the other's one. */
static int queue_is_even(const struct fixture *f)
{
	fixture_rows_are_sane(f, "locks");
	for (size_t i = 0; i < f->rows.n; i++)
		if (strstr(f->rows.row[i].variant, "min/max"))
			assert_true(f->rows.row[i].high <= 1);
	return fixture_median(f, "lock=ticket inside=0ns outside=0ns quantity=min/max", 2) > 0.5;
}

static void turns_are_a_ratio_and_a_queue_is_even(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 2);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_must_hold(&sd_kernel_locks, 2, 2, queue_is_even, __func__);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_locks);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_locks);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_locks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lock_excludes_even_when_waiters_are_descheduled),
		cmocka_unit_test(a_bare_lock_guards_nothing),
		cmocka_unit_test(ticket_lock_serves_in_order_of_arrival),
		cmocka_unit_test(mcs_lock_serves_in_order_of_arrival),
		cmocka_unit_test(
			a_locked_counter_costs_more_than_the_atomic_instruction_it_is_made_of),
		cmocka_unit_test(turns_are_a_ratio_and_a_queue_is_even),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
