#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/blame.h"
#include "attribute/fill_gaps.h"

#define MS UINT64_C(1000000)
#define PID 100

/* ---- timelines in milliseconds; threads 0, 1, … are PID, PID + 1, … ------------------------- */

static unsigned thread(struct sd_timeline *t, unsigned n)
{
	unsigned number;

	assert_int_equal(sd_timeline_thread(t, PID, PID + (int)n, &number), 0);
	return number;
}

static struct sd_moment *add(struct sd_timeline *t, double ms, enum sd_moment_kind kind, unsigned n)
{
	const struct sd_moment m = {
		.time = (uint64_t)(ms * (double)MS), .kind = kind, .thread = thread(t, n)};

	assert_int_equal(sd_timeline_add(t, &m), 0);
	return &t->moment[t->n - 1];
}

static void in(struct sd_timeline *t, double ms, unsigned n)
{
	add(t, ms, SD_MOMENT_IN, n);
}

static void waits(struct sd_timeline *t, double ms, unsigned n, enum sd_activity a,
	uint64_t address, unsigned node)
{
	struct sd_moment *const m = add(t, ms, SD_MOMENT_OUT, n);
	unsigned place;
	int fresh;

	m->activity = a;
	m->node = node;
	if (!address)
		return;
	assert_int_equal(sd_timeline_place(t, PID, address, node, a, &place, &fresh), 0);
	m->lock = place + 1;
}

static void pushed(struct sd_timeline *t, double ms, unsigned n)
{
	add(t, ms, SD_MOMENT_PUSHED, n);
}

static void wakes(struct sd_timeline *t, double ms, unsigned n, unsigned other)
{
	const unsigned number = thread(t, other);

	add(t, ms, SD_MOMENT_WAKE, n)->other = number;
}

/* A sample that stands for `weight` ms. */
static void runs(struct sd_timeline *t, double ms, unsigned n, unsigned node, enum sd_activity a,
	double weight)
{
	struct sd_moment *const m = add(t, ms, SD_MOMENT_SAMPLE, n);

	m->node = node;
	m->activity = a;
	m->weight = (uint64_t)(weight * (double)MS);
}

static struct sd_timeline begin(void)
{
	struct sd_timeline t = {.first = PID};

	thread(&t, 0);
	return t;
}

struct result {
	struct sd_blame c;
	struct sd_sampled s;
	double idle[SD_IDLE_COUNT];
};

static void account_named(
	struct result *r, struct sd_timeline *t, double end, double cores, struct sd_stacks *stacks)
{
	t->end = (uint64_t)(end * (double)MS);
	r->s = (struct sd_sampled){0};
	assert_int_equal(sd_blame_make(&r->c, t, stacks, cores), 0);
	assert_int_equal(sd_blame_rows(&r->c, stacks, &r->s), 0);
	sd_blame_idle(&r->c, r->idle);
}

static void account(struct result *r, struct sd_timeline *t, double end, double cores)
{
	account_named(r, t, end, cores, NULL);
}

static void done(struct result *r, struct sd_timeline *t)
{
	sd_blame_free(&r->c);
	sd_sampled_free(&r->s);
	sd_timeline_free(t);
}

static const struct sd_use *row(const struct result *r, unsigned node, enum sd_activity a)
{
	for (size_t i = 0; i < r->s.n_use; i++)
		if (r->s.use[i].node == node && r->s.use[i].activity == a)
			return &r->s.use[i];
	fail_msg("no row of node %u, %s", node, sd_activity_info[a].name);
	return NULL;
}

static void is(double value, double ms)
{
	if (!(fabs(value - ms * 1e-3) < 1e-9))
		fail_msg("%.9g ms, not %.9g", value * 1e3, ms);
}

static double sum(const double *v, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += v[i];
	return s;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void one_thread_on_two_cores_is_serial_code_and_charged_with_it(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	runs(&t, 40, 0, 7, SD_ACTIVITY_USEFUL, 40);
	runs(&t, 100, 0, 8, SD_ACTIVITY_USEFUL, 60);
	account(&r, &t, 100, 2);
	is(r.idle[SD_IDLE_SERIAL], 100);
	is(sum(r.idle, SD_IDLE_COUNT), 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 40);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 40);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame, 40);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_serial, 40);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame_serial, 60);
	is(r.s.useful_alone.value, 100);
	assert_int_equal(r.c.division.n_concurrency, 2);
	is(r.c.division.concurrency[1], 100);
	assert_int_equal(r.s.n_bottle, 1);
	is(r.s.bottle[0].height, 100);
	assert_true(r.s.bottle[0].width == 1);
	done(&r, &t);
}

/* The second asks the third by `way` from 40 to 100 ms, who first does `before` answering, and
 * works from 90 on; the first works all the time. */
static struct sd_timeline question(enum sd_activity way, enum sd_activity before)
{
	struct sd_timeline t = begin();

	in(&t, 0, 1);
	waits(&t, 0, 2, way, 0, 60);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	waits(&t, 40, 1, way, 0, 50);
	wakes(&t, 40, 0, 2);
	in(&t, 40, 2);
	waits(&t, 40, 2, before, 0, 61);
	in(&t, 90, 2);
	wakes(&t, 100, 2, 1);
	in(&t, 100, 1);
	waits(&t, 100, 2, way, 0, 60);
	runs(&t, 140, 0, 7, SD_ACTIVITY_USEFUL, 120);
	return t;
}

static void who_waits_for_an_answer_waits_for_what_the_answer_waits_for(void **state)
{
	struct sd_timeline t = question(SD_ACTIVITY_PIPE, SD_ACTIVITY_SLEEP);
	struct result r;

	(void)state;
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 50);
	is(sum(r.idle, SD_IDLE_COUNT), 50);
	is(row(&r, 50, SD_ACTIVITY_PIPE)->seconds, 60);
	done(&r, &t);

	/* of one that waits for a lock of the program's, the program's work is waited for */
	t = question(SD_ACTIVITY_PIPE, SD_ACTIVITY_MUTEX);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 0);
	is(sum(r.idle, SD_IDLE_COUNT), 50);
	done(&r, &t);

	/* a socket to a thread of the program is like a pipe */
	t = question(SD_ACTIVITY_SOCKET, SD_ACTIVITY_MUTEX);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 0);
	done(&r, &t);
	t = question(SD_ACTIVITY_SOCKET, SD_ACTIVITY_SLEEP);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 50);
	done(&r, &t);
}

static void who_waits_at_a_socket_for_nobody_known_waits_for_the_network(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	waits(&t, 40, 1, SD_ACTIVITY_SOCKET, 0, 50);
	in(&t, 100, 1);
	runs(&t, 140, 0, 7, SD_ACTIVITY_USEFUL, 120);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 60);
	done(&r, &t);
}

/* From even to odd ms the second waits for a mutex, and from odd to even ones it runs, as does the
 * first all the time; recorded up to 10 ms, from 41 to 51, from 80 to 90. */
static struct sd_timeline windows(void)
{
	static const double window[][2] = {{-1, 10}, {41, 51}, {80, 90}};
	struct sd_timeline t = begin();

	for (int i = 0; i < 3; i++) {
		sd_timeline_open(&t, (uint64_t)fmax(0, window[i][0]) * MS);
		for (int ms = 0; ms < 100; ms++) {
			if (ms <= window[i][0] || ms > window[i][1])
				continue;
			if (ms % 2)
				in(&t, ms, 1);
			else
				waits(&t, ms, 1, SD_ACTIVITY_MUTEX, 0x1000, 50);
			if (ms % 5 == 4)
				runs(&t, ms, 0, 7, SD_ACTIVITY_USEFUL, 5);
		}
		assert_int_equal(sd_timeline_shut(&t, (uint64_t)window[i][1] * MS), 0);
		runs(&t, window[i][1] + 4, 0, 7, SD_ACTIVITY_USEFUL, 5);
		runs(&t, window[i][1] + 5, 1, 8, SD_ACTIVITY_USEFUL, 5);
	}
	t.end = 100 * MS;
	sd_timeline_bound(&t);
	return t;
}

static void windows_stand_for_the_times_between_them(void **state)
{
	struct sd_timeline t = windows();
	struct result r;

	(void)state;
	assert_true(fabs(t.unwatched - .7) < 1e-12);
	assert_int_equal(sd_fill_gaps(&t), 0);
	account(&r, &t, 100, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 50);
	is(r.idle[SD_IDLE_LOCK], 50);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->seconds, 50);
	assert_true(fabs(row(&r, 50, SD_ACTIVITY_MUTEX)->count - 50) < 1e-9);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->longest, 1);
	assert_int_equal(r.s.n_lock, 1);
	assert_true(fabs(r.s.lock[0].waits - 50) < 1e-9);
	is(r.s.lock[0].wait_s, 50);
	is(r.s.lock[0].longest_s, 1);
	assert_true(fabs(r.s.lock[0].busy.value - .5) < 1e-9);
	is(r.c.division.concurrency[1], 50);
	is(r.c.division.concurrency[2], 50);
	is(r.s.bottle[0].height + r.s.bottle[1].height, 100);
	/* samples are of all the time */
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->seconds, 15);
	done(&r, &t);
}

/* The second waits for the disk to 40 ms, and is on its CPU `late` ms after it was woken. */
static void disk(double late, double disk_ms, double ready_ms)
{
	struct sd_timeline t = begin();
	struct result r;

	in(&t, 0, 1);
	runs(&t, 10, 0, 7, SD_ACTIVITY_USEFUL, 10);
	runs(&t, 20, 1, 8, SD_ACTIVITY_USEFUL, 20);
	waits(&t, 20, 1, SD_ACTIVITY_DISK, 0, 50);
	wakes(&t, 40, 0, 1);
	in(&t, 40 + late, 1);
	runs(&t, 100, 0, 7, SD_ACTIVITY_USEFUL, 90);
	account(&r, &t, 100, 2);
	is(r.idle[SD_IDLE_DISK], disk_ms);
	is(r.idle[SD_IDLE_RUNNABLE], ready_ms);
	is(row(&r, 50, SD_ACTIVITY_DISK)->seconds, 20);
	done(&r, &t);
}

static void a_wake_up_is_a_part_of_the_wait_where_a_core_is_free(void **state)
{
	(void)state;
	disk(.5, 20.5, 0);
	/* somebody has taken it */
	disk(5, 20, 5);
}

/* Both live for 100 ms, and had 145 ms of CPU time: they waited for 55 ms, not 50. */
static void waits_in_windows_are_put_right_by_the_cpu_time(void **state)
{
	struct sd_timeline t = windows();
	struct result r = {.s = {0}};

	(void)state;
	assert_int_equal(sd_fill_gaps(&t), 0);
	assert_int_equal(sd_blame_make(&r.c, &t, NULL, 2), 0);
	sd_blame_correct(&r.c, .145);
	assert_int_equal(sd_blame_rows(&r.c, NULL, &r.s), 0);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->seconds, 55);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->seconds, 15);
	is(r.s.lock[0].wait_s, 55);
	is(r.s.lock[0].waiter[0].seconds, 55);
	assert_true(fabs(r.s.lock[0].waits - 50) < 1e-9);
	sd_sampled_free(&r.s);
	r.s = (struct sd_sampled){0};
	/* so far off that threads must have run unseen */
	r.c.waits_by = 1;
	sd_blame_correct(&r.c, .1);
	assert_true(r.c.waits_by == 1);
	done(&r, &t);
}

/* The first holds it for 30 of 40 ms, the second waits for it meanwhile; then the other
 * way round. */
static void two_threads_and_one_mutex_charge_its_holder(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_MUTEX, 0x1000, 50);
	runs(&t, 30, 0, 7, SD_ACTIVITY_USEFUL, 30);
	wakes(&t, 30, 0, 1);
	in(&t, 32, 1);
	runs(&t, 35, 0, 8, SD_ACTIVITY_USEFUL, 5);
	waits(&t, 40, 0, SD_ACTIVITY_MUTEX, 0x1000, 51);
	runs(&t, 60, 1, 9, SD_ACTIVITY_USEFUL, 28);
	wakes(&t, 60, 1, 0);
	in(&t, 60, 0);
	account(&r, &t, 60, 2);
	is(r.idle[SD_IDLE_LOCK], 50);
	is(r.idle[SD_IDLE_RUNNABLE], 2);
	is(sum(r.idle, SD_IDLE_COUNT), 52);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_lock, 30);
	is(row(&r, 9, SD_ACTIVITY_USEFUL)->blame_lock, 20);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame_lock, 0);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->seconds, 30);
	is(row(&r, 51, SD_ACTIVITY_MUTEX)->longest, 20);
	is(row(&r, 50, SD_ACTIVITY_RUNNABLE)->seconds, 2);
	assert_int_equal(r.s.n_lock, 1);
	assert_int_equal(r.s.lock[0].address, 0x1000);
	assert_true(r.s.lock[0].waits == 2);
	is(r.s.lock[0].wait_s, 50);
	is(r.s.lock[0].longest_s, 30);
	assert_int_equal(r.s.lock[0].holder[0].node, 7);
	is(r.s.lock[0].holder[0].seconds, 30);
	assert_int_equal(r.s.lock[0].holder[1].node, 9);
	assert_int_equal(r.s.lock[0].waiter[0].node, 50);
	assert_true(fabs(r.s.lock[0].busy.value - 50. / 60) < 1e-9);
	done(&r, &t);
}

static void a_thread_without_peers_waits_for_nobody_in_whatever_loop(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	runs(&t, 10, 0, 7, SD_ACTIVITY_SPIN_BARRIER, 10);
	in(&t, 20, 1);
	runs(&t, 30, 0, 7, SD_ACTIVITY_SPIN_BARRIER, 10);
	runs(&t, 31, 1, 8, SD_ACTIVITY_USEFUL, 10);
	account(&r, &t, 40, 2);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 10);
	is(row(&r, 7, SD_ACTIVITY_SPIN_BARRIER)->seconds, 10);
	done(&r, &t);
}

/* The core that a woken thread has not reached yet is idle for the lock all the same. */
static void who_is_on_its_way_from_a_lock_charges_its_holder(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_MUTEX, 0x1000, 50);
	runs(&t, 30, 0, 7, SD_ACTIVITY_USEFUL, 30);
	wakes(&t, 30, 0, 1);
	in(&t, 30.5, 1);
	runs(&t, 60, 0, 8, SD_ACTIVITY_USEFUL, 30);
	account(&r, &t, 60, 2);
	is(r.idle[SD_IDLE_LOCK], 30.5);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_lock + row(&r, 8, SD_ACTIVITY_USEFUL)->blame_lock,
		30.5);
	is(r.s.lock[0].wait_s, 30);
	is(r.s.lock[0].holder[0].seconds, 30);
	done(&r, &t);
}

static void waits_at_a_barrier_are_charged_to_the_late_thread(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	in(&t, 0, 2);
	waits(&t, 10, 1, SD_ACTIVITY_BARRIER, 0x2000, 50);
	waits(&t, 20, 2, SD_ACTIVITY_BARRIER, 0x2000, 50);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 50, 0, 8, SD_ACTIVITY_USEFUL, 30);
	wakes(&t, 50, 0, 1);
	wakes(&t, 50, 0, 2);
	in(&t, 50, 1);
	in(&t, 50, 2);
	account(&r, &t, 50, 3);
	is(r.idle[SD_IDLE_IMBALANCE], 70);
	is(sum(r.idle, SD_IDLE_COUNT), 70);
	/* half of the first 10 ms is the other one's, which ran too but was never sampled */
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_imbalance, 5);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame_imbalance, 60);
	is(row(&r, 50, SD_ACTIVITY_BARRIER)->seconds, 70);
	assert_true(row(&r, 50, SD_ACTIVITY_BARRIER)->count == 2);
	assert_int_equal(r.s.n_lock, 0);
	done(&r, &t);
}

/* In each 2 ms the second waits for 1 ms in which the first runs 7, and then both run 8; the first
 * is sampled every 10 ms or so. */
static void idle_cores_are_charged_to_what_runs_while_they_idle(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	for (int ms = 0; ms < 200; ms += 2) {
		waits(&t, ms, 1, SD_ACTIVITY_BARRIER, 0x1000, 50);
		if (ms % 20 == 18)
			runs(&t, ms + .5, 0, 7, SD_ACTIVITY_USEFUL, 10);
		in(&t, ms + 1, 1);
		if (ms % 20 == 8)
			runs(&t, ms + 1.5, 0, 8, SD_ACTIVITY_USEFUL, 10);
	}
	account(&r, &t, 200, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame, 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 100);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->seconds, 100);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame, 0);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->solo, 0);
	done(&r, &t);
}

/* The only one on a CPU is alone in the kernel too, but not in what it does there to wait. */
static void work_in_the_kernel_is_done_alone_as_well(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_BARRIER, 0x1000, 50);
	runs(&t, 10, 0, 7, SD_ACTIVITY_KERNEL_FILE, 10);
	runs(&t, 12, 0, 7, SD_ACTIVITY_KERNEL_FUTEX, 2);
	in(&t, 12, 1);
	runs(&t, 20, 0, 8, SD_ACTIVITY_KERNEL_FILE, 8);
	account(&r, &t, 20, 2);
	is(row(&r, 7, SD_ACTIVITY_KERNEL_FILE)->solo, 10);
	is(row(&r, 7, SD_ACTIVITY_KERNEL_FUTEX)->solo, 0);
	is(row(&r, 8, SD_ACTIVITY_KERNEL_FILE)->solo, 0);
	done(&r, &t);
}

static void a_preempted_thread_waits_for_a_cpu_and_charges_nobody_with_serial_code(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	pushed(&t, 10, 1);
	in(&t, 40, 1);
	account(&r, &t, 50, 2);
	is(r.idle[SD_IDLE_RUNNABLE], 30);
	is(sum(r.idle, SD_IDLE_COUNT), 30);
	is(r.c.division.concurrency[2], 50);
	done(&r, &t);
}

static void who_spins_is_charged_to_the_one_that_works(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	in(&t, 0, 2);
	runs(&t, 0, 1, 60, SD_ACTIVITY_SPIN_BARRIER, 0);
	runs(&t, 0, 2, 60, SD_ACTIVITY_SPIN_LOCK, 0);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 1, 9, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 2, 60, SD_ACTIVITY_SPIN_OTHER, 20);
	runs(&t, 50, 0, 8, SD_ACTIVITY_USEFUL, 30);
	account(&r, &t, 50, 3);
	is(r.s.useful_alone.value, 20);
	is(r.s.spun_serial.value, 20);
	is(r.s.spun_imbalance.value, 30);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 20);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->spun_serial, 20);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->spun_imbalance, 15);
	done(&r, &t);
}

static void time_at_atomic_instructions_is_a_part_of_a_stacks_time(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 0);
	runs(&t, 10, 0, 7, SD_ACTIVITY_USEFUL, 10);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 10);
	t.moment[t.n - 1].atomic = 1;
	runs(&t, 30, 0, 8, SD_ACTIVITY_USEFUL, 10);
	account(&r, &t, 30, 1);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 20);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->atomic, 10);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->atomic, 0);
	done(&r, &t);
}

/* `rounds` turns of two threads at a semaphore, each leaves it to the other. */
static void take_turns(struct sd_timeline *t, int rounds, enum sd_activity a)
{
	double now = 0;

	in(t, 0, 1);
	waits(t, 0, 1, a, 0x3000, 50);
	for (int i = 0; i < rounds; i++) {
		const unsigned holder = i % 2, other = 1 - holder;

		now += 10;
		runs(t, now, holder, 7 + holder, SD_ACTIVITY_USEFUL, 10);
		wakes(t, now, holder, other);
		in(t, now, other);
		now += 1; /* outside of it */
		waits(t, now, holder, a, 0x3000, 50 + holder);
	}
}

static void a_semaphore_that_its_last_holder_hands_on_is_a_lock(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	take_turns(&t, 40, SD_ACTIVITY_SEMAPHORE);
	account(&r, &t, 440, 2);
	is(r.idle[SD_IDLE_SERIAL], 0);
	is(r.idle[SD_IDLE_IMBALANCE], 0);
	is(r.idle[SD_IDLE_LOCK], 10 + 39 * 10);
	assert_int_equal(r.s.n_lock, 1);
	assert_int_equal(r.s.lock[0].kind, SD_ACTIVITY_SEMAPHORE);
	done(&r, &t);
}

/* A producer and a consumer: who posts never waits there. */
static void a_semaphore_that_a_producer_posts_is_no_lock(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	for (int i = 0; i < 40; i++) {
		waits(&t, 10 * i, 1, SD_ACTIVITY_SEMAPHORE, 0x3000, 50);
		runs(&t, 10 * i + 9, 0, 7, SD_ACTIVITY_USEFUL, 10);
		wakes(&t, 10 * i + 9, 0, 1);
		in(&t, 10 * i + 9, 1);
	}
	account(&r, &t, 400, 2);
	is(r.idle[SD_IDLE_LOCK], 0);
	is(r.idle[SD_IDLE_SERIAL], 40 * 9);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_serial, 40 * 9);
	assert_int_equal(r.s.n_lock, 0);
	done(&r, &t);
}

/* A barrier made of a condition: now this thread is late, now that one, two and two. */
static void a_condition_of_a_barrier_is_no_lock(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	for (int i = 0; i < 40; i++) {
		const unsigned late = i / 2 % 2, early = 1 - late;

		waits(&t, 20 * i + 10, early, SD_ACTIVITY_CONDITION, 0x3000, 50);
		wakes(&t, 20 * i + 20, late, early);
		in(&t, 20 * i + 20, early);
	}
	account(&r, &t, 800, 2);
	is(r.idle[SD_IDLE_LOCK], 0);
	is(r.idle[SD_IDLE_IMBALANCE] + r.idle[SD_IDLE_SERIAL], 400);
	done(&r, &t);
}

/* The kernel of many machines does not tell who woke whom. */
static void without_wakers_the_holder_is_who_runs_when_the_wait_ends(void **state)
{
	struct sd_timeline t = begin();
	struct result r;
	size_t kept = 0;

	(void)state;
	take_turns(&t, 40, SD_ACTIVITY_SEMAPHORE);
	for (size_t i = 0; i < t.n; i++)
		if (t.moment[i].kind != SD_MOMENT_WAKE)
			t.moment[kept++] = t.moment[i];
	t.n = kept;
	account(&r, &t, 440, 2);
	is(r.idle[SD_IDLE_LOCK], 10 + 39 * 10);
	assert_int_equal(r.s.lock[0].holder[0].node, 7);
	assert_int_equal(r.s.lock[0].holder[1].node, 8);
	done(&r, &t);
}

static void rows_beyond_the_limit_are_added_up_and_nothing_is_lost(void **state)
{
	struct sd_stack_times u = {0};
	struct sd_use *out;
	double seconds = 0, rest = 0;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < 3 * SD_SAMPLED_ROWS; i++) {
		struct sd_use *const row =
			sd_stack_times_row(&u, i, i % 2 ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_MUTEX);

		assert_non_null(row);
		row->seconds += i + 1;
	}
	assert_int_equal(sd_stack_times_take(&u, NULL, &out, &n), 0);
	assert_in_range(n, SD_SAMPLED_ROWS / 4, SD_SAMPLED_ROWS);
	for (size_t i = 0; i < n; i++) {
		seconds += out[i].seconds;
		rest += out[i].node == 0 ? out[i].seconds : 0;
		if (i > 0)
			assert_true(out[i].seconds <= out[i - 1].seconds);
	}
	assert_true(seconds == 3. * SD_SAMPLED_ROWS * (3. * SD_SAMPLED_ROWS + 1) / 2);
	assert_true(rest > 0);
	free(out);
	sd_stack_times_free(&u);
}

/* One stack a sample, as of a compiler: 40 callers of each line of 10 functions. */
static void too_many_stacks_keep_the_time_of_every_function(void **state)
{
	enum { FUNCTIONS = 10, LINES = 40, CALLERS = 40, EACH = FUNCTIONS * LINES * CALLERS };
	struct sd_stacks stacks = {0};
	struct sd_stack_times u = {0};
	struct sd_use *out;
	double of[FUNCTIONS + 1] = {0};
	size_t n;

	(void)state;
	for (unsigned i = 0; i < EACH; i++) {
		const struct sd_frame leaf = {
			.function = 1 + i % FUNCTIONS, .line = 1 + i / FUNCTIONS % LINES};
		unsigned node = 0, frame;

		for (unsigned k = 0; k < 6; k++) {
			const struct sd_frame caller = {
				.function = 100 + k, .line = i / FUNCTIONS / LINES};

			assert_int_equal(sd_stacks_frame(&stacks, &caller, &frame), 0);
			assert_int_equal(sd_stacks_node(&stacks, node, frame, &node), 0);
		}
		assert_int_equal(sd_stacks_frame(&stacks, &leaf, &frame), 0);
		assert_int_equal(sd_stacks_node(&stacks, node, frame, &node), 0);
		sd_stack_times_row(&u, node, SD_ACTIVITY_USEFUL)->seconds += 1;
	}
	assert_int_equal(sd_stack_times_take(&u, &stacks, &out, &n), 0);
	assert_true(n <= SD_SAMPLED_ROWS);
	for (size_t i = 0; i < n; i++) {
		assert_true(out[i].node > 0);
		of[stacks.frame[stacks.node[out[i].node].frame].function] += out[i].seconds;
	}
	for (unsigned f = 1; f <= FUNCTIONS; f++)
		assert_true(of[f] == (double)EACH / FUNCTIONS);
	free(out);
	sd_stack_times_free(&u);
	sd_stacks_free(&stacks);
}

/* Both run until the second ends in a gap from 40 to 70 ms; the first goes on alone for 2 ms. */
static void the_end_of_a_run_does_not_stand_for_a_longer_gap(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 1, 8, SD_ACTIVITY_USEFUL, 20);
	assert_int_equal(sd_timeline_shut(&t, 40 * MS), 0);
	add(&t, 69, SD_MOMENT_EXIT, 1);
	sd_timeline_open(&t, 70 * MS);
	runs(&t, 71, 0, 7, SD_ACTIVITY_USEFUL, 20);
	t.end = 72 * MS;
	sd_timeline_bound(&t);
	account(&r, &t, 72, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 2);
	done(&r, &t);
}

/* Two threads, one of which spins in half of its samples: in one go, or by chance. */
static double spun(int by_chance, int together)
{
	struct sd_timeline t = begin();
	struct result r;
	unsigned chance = 1;
	double all;

	in(&t, 0, 1);
	in(&t, 0, 2);
	for (unsigned i = 0; i < 200; i++) {
		const int spins = by_chance ? (chance >> 16) % 2 : i >= 100;

		runs(&t, 2 * i, 1, 3, SD_ACTIVITY_USEFUL, 2);
		runs(&t, 2 * i, 2, spins ? 60 : 3,
			spins ? SD_ACTIVITY_SPIN_BARRIER : SD_ACTIVITY_USEFUL, 2);
		chance = chance * 1103515245u + 12345;
	}
	t.together = together;
	account(&r, &t, 400, 2);
	all = r.s.spun_serial.value + r.s.spun_imbalance.value;
	done(&r, &t);
	return all;
}

static void what_ran_meanwhile_is_known_of_waits_longer_than_the_time_between_samples(void **state)
{
	(void)state;
	assert_true(spun(0, 0) > .19 && spun(0, 0) < .21);
	assert_true(spun(1, 0) < .05);
}

/* Ten of sixty samples: in one go, or one in six. */
static void ten_samples_say_how_long_waits_in_loops_are(void **state)
{
	(void)state;
	for (int spread = 0; spread < 2; spread++) {
		struct sd_timeline t = begin();
		struct result r;
		double all;

		in(&t, 0, 1);
		in(&t, 0, 2);
		for (unsigned i = 0; i < 60; i++) {
			const int spins = spread ? i % 6 == 3 : i >= 50;

			runs(&t, 2 * i, 1, 3, SD_ACTIVITY_USEFUL, 2);
			runs(&t, 2 * i, 2, spins ? 60 : 3,
				spins ? SD_ACTIVITY_SPIN_BARRIER : SD_ACTIVITY_USEFUL, 2);
		}
		account(&r, &t, 120, 2);
		all = r.s.spun_serial.value + r.s.spun_imbalance.value;
		done(&r, &t);
		if (spread)
			assert_true(all < .002);
		else
			assert_true(all > .015 && all < .021);
	}
}

static void what_ran_meanwhile_is_known_where_clocks_tick_together(void **state)
{
	(void)state;
	assert_true(spun(1, 1) > .1);
}

/* From the end of the thread it joins on: nothing runs, and nothing else is waited for. */
static void who_joins_on_the_last_thread_is_ready_when_that_ends(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 0);
	in(&t, 1, 1);
	waits(&t, 2, 0, SD_ACTIVITY_JOIN, 0, 5);
	add(&t, 4, SD_MOMENT_EXIT, 1);
	in(&t, 7, 0);
	account(&r, &t, 8, 1);
	is(r.idle[SD_IDLE_RUNNABLE], 3);
	is(r.idle[SD_IDLE_UNKNOWN], 0);
	done(&r, &t);
}

/* Phases shorter than the time between samples: which of two nodes is met is a matter of chance,
 * but both threads are met in the same phase. */
static void samples_of_one_moment_are_of_one_phase(void **state)
{
	static const int serial[] = {0, 1, 0, 0, 1, 1, 0, 1, 0, 1};
	const size_t n = sizeof serial / sizeof *serial;
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 0);
	in(&t, 0, 1);
	for (size_t i = 0; i < n; i++) {
		const double at = 2 * (double)i;

		runs(&t, at, 0, serial[i] ? 7 : 8, SD_ACTIVITY_USEFUL, 2);
		if (serial[i])
			runs(&t, at, 1, 9, SD_ACTIVITY_SPIN_BARRIER, 2);
		else
			runs(&t, at, 1, 8, SD_ACTIVITY_USEFUL, 2);
	}
	t.together = 1;
	account(&r, &t, 2 * (double)n, 2);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 10);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->spun_serial, 10);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->solo, 0);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->spun_serial, 0);
	done(&r, &t);
}

enum { OWN = 1, SHARED, NODES }; /* a function each */

/* Two threads, n samples of each, with what they were met at. */
static void meet(struct result *r, const unsigned first[], const unsigned second[], unsigned n)
{
	static struct sd_frame frame[NODES] = {{0}, {.function = 1}, {.function = 2}};
	static struct sd_node node[NODES] = {{0}, {.frame = OWN}, {.frame = SHARED}};
	struct sd_stacks stacks = {.frame = frame, .n_frame = NODES, .node = node, .n_node = NODES};
	struct sd_timeline t = begin();

	in(&t, 0, 1);
	for (unsigned i = 0; i < n; i++) {
		runs(&t, 2 * i, 0, first[i], SD_ACTIVITY_USEFUL, 2);
		runs(&t, 2 * i + .1, 1, second[i],
			second[i] ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_SPIN_BARRIER, 2);
	}
	t.together = 1;
	account_named(r, &t, 2 * n, 2, &stacks);
	sd_timeline_free(&t);
}

static void met(struct result *r)
{
	sd_blame_free(&r->c);
	sd_sampled_free(&r->s);
}

/* Phases shorter than what lies between the clocks' ticks: the second is met spinning in 40 % of
 * what the first does alone, and in 60 % of what both do. */
static void of_phases_that_no_two_samples_meet_the_totals_tell(void **state)
{
	unsigned first[200], second[200];
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		first[i] = i % 2 ? OWN : SHARED;
		second[i] = i / 2 % 5 < (i % 2 ? 2 : 3) ? 0 : SHARED;
	}
	meet(&r, first, second, 200);
	is(r.s.spun_serial.value, 200);
	is(r.s.spun_imbalance.value, 0);
	is(row(&r, OWN, SD_ACTIVITY_USEFUL)->spun_serial, 200);
	is(row(&r, SHARED, SD_ACTIVITY_USEFUL)->spun_serial, 0);
	is(row(&r, SHARED, SD_ACTIVITY_USEFUL)->spun_imbalance, 0);
	is(r.s.useful_alone.value, 200);
	met(&r);
}

/* Two of three units of work are the first's, whenever the second is met. */
static void who_does_more_of_the_work_of_all_is_late_however_short_the_waits(void **state)
{
	unsigned first[200], second[200], chance = 1;
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		first[i] = SHARED;
		second[i] = (chance >> 16) % 2 ? 0 : SHARED;
		chance = chance * 1103515245u + 12345;
	}
	meet(&r, first, second, 200);
	is(r.s.spun_serial.value, 0);
	is(r.s.spun_imbalance.value, row(&r, 0, SD_ACTIVITY_SPIN_BARRIER)->seconds * 1e3);
	is(row(&r, SHARED, SD_ACTIVITY_USEFUL)->spun_imbalance, r.s.spun_imbalance.value * 1e3);
	met(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_on_two_cores_is_serial_code_and_charged_with_it),
		cmocka_unit_test(who_waits_at_a_socket_for_nobody_known_waits_for_the_network),
		cmocka_unit_test(who_waits_for_an_answer_waits_for_what_the_answer_waits_for),
		cmocka_unit_test(waits_in_windows_are_put_right_by_the_cpu_time),
		cmocka_unit_test(a_wake_up_is_a_part_of_the_wait_where_a_core_is_free),
		cmocka_unit_test(windows_stand_for_the_times_between_them),
		cmocka_unit_test(two_threads_and_one_mutex_charge_its_holder),
		cmocka_unit_test(a_thread_without_peers_waits_for_nobody_in_whatever_loop),
		cmocka_unit_test(who_is_on_its_way_from_a_lock_charges_its_holder),
		cmocka_unit_test(waits_at_a_barrier_are_charged_to_the_late_thread),
		cmocka_unit_test(idle_cores_are_charged_to_what_runs_while_they_idle),
		cmocka_unit_test(work_in_the_kernel_is_done_alone_as_well),
		cmocka_unit_test(
			a_preempted_thread_waits_for_a_cpu_and_charges_nobody_with_serial_code),
		cmocka_unit_test(who_spins_is_charged_to_the_one_that_works),
		cmocka_unit_test(time_at_atomic_instructions_is_a_part_of_a_stacks_time),
		cmocka_unit_test(a_semaphore_that_its_last_holder_hands_on_is_a_lock),
		cmocka_unit_test(a_semaphore_that_a_producer_posts_is_no_lock),
		cmocka_unit_test(a_condition_of_a_barrier_is_no_lock),
		cmocka_unit_test(without_wakers_the_holder_is_who_runs_when_the_wait_ends),
		cmocka_unit_test(too_many_stacks_keep_the_time_of_every_function),
		cmocka_unit_test(rows_beyond_the_limit_are_added_up_and_nothing_is_lost),
		cmocka_unit_test(who_joins_on_the_last_thread_is_ready_when_that_ends),
		cmocka_unit_test(the_end_of_a_run_does_not_stand_for_a_longer_gap),
		cmocka_unit_test(samples_of_one_moment_are_of_one_phase),
		cmocka_unit_test(of_phases_that_no_two_samples_meet_the_totals_tell),
		cmocka_unit_test(who_does_more_of_the_work_of_all_is_late_however_short_the_waits),
		cmocka_unit_test(ten_samples_say_how_long_waits_in_loops_are),
		cmocka_unit_test(what_ran_meanwhile_is_known_where_clocks_tick_together),
		cmocka_unit_test(
			what_ran_meanwhile_is_known_of_waits_longer_than_the_time_between_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
