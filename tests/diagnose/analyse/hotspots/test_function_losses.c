/*
 * Programs whose stacks are known: which function is charged with what, to the last digit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "hotspots/fold_stacks.h"
#include "support/make_samples.h"
#include "support/near.h"

#define RUNS 6

/* The stacks of a small program in /home/u/app, with libgomp and libc. */
struct stacks {
	unsigned main, relax, init, memcpy, spin, malloc, lock, fault;
};

static struct stacks make_stacks(struct sd_record *r)
{
	static const char app[] = "/home/u/app", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6",
			  gomp[] = "/usr/lib/x86_64-linux-gnu/libgomp.so.1";
	struct stacks s;

	s.main = make_call(r, 0, "main", "/home/u/app.c", 10, app);
	s.relax = make_call(r, s.main, "relax", "/home/u/app.c", 88, app);
	s.init = make_call(r, s.main, "init", "/home/u/app.c", 30, app);
	s.memcpy = make_call(r, make_call(r, s.main, "relax", "/home/u/app.c", 90, app), "memcpy",
		"../sysdeps/x86_64/memcpy.S", 5, libc);
	s.spin = make_call(r, make_call(r, s.main, "GOMP_barrier", NULL, 0, gomp),
		"gomp_team_barrier_wait_end", NULL, 0, gomp);
	s.malloc = make_call(
		r, make_call(r, s.relax, "malloc", NULL, 0, libc), "_int_malloc", NULL, 0, libc);
	s.lock = make_call(r, s.relax, "push", "/home/u/queue.c", 41, app);
	s.fault = make_call(r, s.init, "clear_page_erms", NULL, 0, "[kernel]");
	return s;
}

static const struct sd_loss_row *row_of(const struct sd_analysis *a, const char *function)
{
	for (size_t i = 0; i < a->losses.n_row; i++)
		if (a->losses.row[i].at.function &&
			strcmp(a->losses.row[i].at.function, function) == 0)
			return &a->losses.row[i];
	return NULL;
}

static int has_evidence(const struct sd_finding *f, const char *text)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], text))
			return 1;
	return 0;
}

/* A sum of a column over all rows, the rest and what has no stack. */
static double column(const struct sd_losses *l, enum sd_cost k)
{
	double sum = l->rest[k] + l->unknown[k];

	for (size_t i = 0; i < l->n_row; i++)
		sum += l->row[i].cost[k];
	return sum;
}

static double component(const struct sd_analysis *a, enum sd_component k)
{
	const struct sd_interval v = a->point[a->n_point - 1].stack[k];

	return v.status == SD_STATUS_OK ? v.value : 0;
}

/* The reference: 8 s of relax, .8 of it in memcpy, and 1 s of init. */
static void reference(struct sd_record *r, const struct stacks *s)
{
	static const struct sample one = {.wall = 10, .user = 9, .system = .5};

	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(r, 0, &one, 1 + .001 * i);
		double f = 1 + .001 * i;

		make_use(run, s->relax, SD_ACTIVITY_USEFUL, 7.2 * f);
		make_use(run, s->memcpy, SD_ACTIVITY_USEFUL, .8 * f);
		make_use(run, s->init, SD_ACTIVITY_USEFUL, f);
		make_use(run, s->fault, SD_ACTIVITY_KERNEL_ZEROING, .5 * f);
	}
}

/* Growth, serial code, imbalance, a lock, kernel and spinning at once, on 4 cores. */
static void mixture(struct sd_record *r, const struct stacks *s)
{
	static const struct sample many = {.wall = 5,
		.user = 14,
		.system = 1,
		.idle = {[SD_IDLE_SERIAL] = 3, [SD_IDLE_IMBALANCE] = .8, [SD_IDLE_LOCK] = 1.2}};

	for (int i = 0; i < RUNS; i++) {
		double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 1, &many, f);
		struct sd_use *u = make_use(run, s->relax, SD_ACTIVITY_USEFUL, 9.2 * f);

		u->blame = u->blame_imbalance = .8 * f;
		u->spun_imbalance = .5 * f;
		make_use(run, s->memcpy, SD_ACTIVITY_USEFUL, .8 * f);
		u = make_use(run, s->init, SD_ACTIVITY_USEFUL, f);
		u->blame = u->blame_serial = 3 * f;
		u->spun_serial = 1.5 * f;
		u = make_use(run, s->lock, SD_ACTIVITY_USEFUL, .5 * f);
		u->blame = u->blame_lock = 1.2 * f;
		make_use(run, s->spin, SD_ACTIVITY_SPIN_BARRIER, 2.5 * f);
		make_use(run, s->fault, SD_ACTIVITY_KERNEL_ZEROING, f);
		run->sampled.spun_serial = SD_OK(1.5 * f);
		run->sampled.spun_imbalance = SD_OK(.5 * f);
		run->sampled.useful_alone = SD_OK(1.5 * f);
	}
}

static void make_mixture(struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 4};
	struct stacks s;

	record_make(r, cores, 2);
	s = make_stacks(r);
	reference(r, &s);
	mixture(r, &s);
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static void spinning_leaves_the_user_time_and_the_stack_still_sums_to_n(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_interval *stack;

	(void)state;
	make_mixture(&r, &a);
	stack = a.point[1].stack;
	assert_near(stack_sum(&a.point[1]), 4, 1e-9);
	/* 14 s of user time, of which 2.5 spun: .5 for nothing known, 1.5 serial, .5 imbalance */
	assert_near(stack[SD_COMPONENT_GROWTH].value, (14 - 2.5 - 9) / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_SPINNING].value, .5 / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_SERIAL].value, (3 + 1.5) / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_IMBALANCE].value, (.8 + .5) / 5, 1e-6);
	assert_near(stack[SD_COMPONENT_LOCK].value, 1.2 / 5, 1e-6);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_functions_losses_sum_to_the_components(void **state)
{
	static const struct {
		enum sd_cost cost;
		enum sd_component component;
	} row[] = {
		{SD_COST_GROWTH, SD_COMPONENT_GROWTH},
		{SD_COST_KERNEL, SD_COMPONENT_SYSTEM},
		{SD_COST_SPINNING, SD_COMPONENT_SPINNING},
		{SD_COST_LOCK, SD_COMPONENT_LOCK},
		{SD_COST_IMBALANCE, SD_COMPONENT_IMBALANCE},
		{SD_COST_SERIAL, SD_COMPONENT_SERIAL},
	};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_mixture(&r, &a);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_near(column(&a.losses, row[i].cost), component(&a, row[i].component), 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void blame_goes_to_the_code_that_was_waited_for(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_loss_row *relax, *init, *push, *main_row;

	(void)state;
	make_mixture(&r, &a);
	relax = row_of(&a, "relax");
	init = row_of(&a, "init");
	push = row_of(&a, "push");
	main_row = row_of(&a, "main");
	assert_non_null(relax);
	assert_non_null(init);
	assert_non_null(push);
	assert_non_null(main_row);
	/* 11.5 s of work were sampled as 11.5: relax 10 against 8 at the reference */
	assert_near(relax->cost[SD_COST_GROWTH], (10 - 8) / 5., 1e-6);
	assert_near(relax->cost[SD_COST_IMBALANCE], 1.3 / 5, 1e-6);
	assert_near(init->cost[SD_COST_SERIAL], 4.5 / 5, 1e-6);
	assert_near(init->cost[SD_COST_KERNEL], .5 / 5, 1e-6);
	assert_near(push->cost[SD_COST_LOCK], 1.2 / 5, 1e-6);
	/* what libgomp spun stands with its caller */
	assert_near(main_row->cost[SD_COST_SPINNING], .5 / 5, 1e-6);
	assert_string_equal(main_row->at.in, "GOMP_barrier");
	/* everything is below main, and relax() itself lost less than with what it calls */
	assert_near(main_row->inclusive.value,
		relax->total.value + init->total.value + push->total.value + main_row->total.value,
		1e-9);
	assert_true(relax->exclusive.value < relax->inclusive.value);
	assert_string_equal(a.losses.row[0].at.function, "init");
	assert_true(a.losses.row[0].total.low <= a.losses.row[0].total.value &&
		    a.losses.row[0].total.value <= a.losses.row[0].total.high);
	assert_int_equal(relax->at.line, 88);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void every_cause_names_its_place(void **state)
{
	static const struct {
		enum sd_cause cause;
		const char *function;
		unsigned line;
		double share;
	} row[] = {
		{SD_CAUSE_SERIAL_CODE, "init", 30, 1},
		{SD_CAUSE_LOAD_IMBALANCE, "relax", 88, 1},
		{SD_CAUSE_LOCK_CONTENTION, "push", 41, 1},
		/* of 2.5 s: relax 2, push .5 */
		{SD_CAUSE_MEMORY_BANDWIDTH, "relax", 88, 2 / 2.5},
	};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_mixture(&r, &a);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_finding *f = finding_of(&a, row[i].cause);

		assert_true(f->n_where >= 1);
		assert_string_equal(f->where[0].function, row[i].function);
		assert_int_equal(f->where[0].line, row[i].line);
		assert_near(f->where[0].share, row[i].share, 1e-6);
	}
	assert_string_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->where[0].from, "main");
	assert_string_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->where[0].from, "relax");
	/* those that spin run, to the kernel: how many run says nothing then */
	assert_true(has_evidence(finding_of(&a, SD_CAUSE_SERIAL_CODE), "(spent spinning)"));
	assert_non_null(
		strstr(finding_of(&a, SD_CAUSE_SERIAL_CODE)->evidence.text[1], "were not idle"));
	assert_false(has_evidence(finding_of(&a, SD_CAUSE_SERIAL_CODE), "at most one thread ran"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A program that does nothing but allocate on 4 cores: its lock and its kernel are the
 * allocator's. */
static void locks_below_malloc_are_the_allocators(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {
		.wall = 5, .user = 10, .system = .1, .idle = {[SD_IDLE_LOCK] = 9.9}};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
		struct sd_use *u;

		make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 9.9);
		run = record_sample(&r, 1, &many, 1 + .001 * i);
		u = make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 10);
		u->blame = u->blame_lock = 9.9;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_ALLOCATOR);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_near(a.finding[0].cores.value, (9.9 + .1) / 5, 1e-2);
	assert_string_equal(a.finding[0].where[0].function, "relax");
	assert_string_equal(a.finding[0].where[0].in, "malloc");
	assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict, SD_VERDICT_RULED_OUT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* 12 of the 15 s that are lost go to the runtime that makes tasks, below malloc and while others
 * wait for it; what tasks themselves do is not its. */
static void tasks_that_are_too_small_are_barrier_overhead_and_nothing_else(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {.wall = 5,
		.user = 14,
		.system = .1,
		.idle = {[SD_IDLE_LOCK] = 1.9, [SD_IDLE_SERIAL] = 4}};

	(void)state;
	for (int small = 0; small < 2; small++) {
		struct sd_record r;
		struct sd_analysis a;
		unsigned loop, make, memory, task;

		record_make(&r, cores, 2);
		loop = make_call(&r, 0, "loop", "/src/a.c", 10, "/app/a");
		make = make_call(
			&r, loop, small ? "GOMP_task" : "memcpy", NULL, 0, "/usr/lib/libgomp.so.1");
		memory = make_call(&r, make, "malloc", NULL, 0, "/usr/lib/libc.so.6");
		task = make_call(&r, make, "task", "/src/a.c", 12, "/app/a");
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);
			struct sd_use *u;

			make_use(run, task, SD_ACTIVITY_USEFUL, 9.9);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			make_use(run, task, SD_ACTIVITY_USEFUL, 8);
			u = make_use(run, memory, SD_ACTIVITY_USEFUL, 4);
			u->blame = u->blame_serial = 4;
			u = make_use(run, make, SD_ACTIVITY_USEFUL, 1);
			u->blame = u->blame_lock = 1.9;
			make_use(run, loop, SD_ACTIVITY_SPIN_BARRIER, 1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.finding[0].cause == SD_CAUSE_BARRIER_OVERHEAD, small);
		assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
			small ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict,
			small ? SD_VERDICT_RULED_OUT : SD_VERDICT_LIKELY);
		if (small) {
			assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
			/* 4 + 1 ran there, 4 + 1.9 waited, 1 spun; 5 s long */
			assert_near(a.finding[0].cores.value, 11.9 / 5, 1e-2);
			assert_string_equal(a.finding[0].where[0].function, "loop");
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Of the rate that a core has to itself. */
static void set_width(struct sd_run *r, double share)
{
	r->metric[SD_METRIC_WIDTH] = SD_OK(3.8 * share);
	r->metric[SD_METRIC_WIDTH_LEAST] = SD_OK(3.8 * share);
	r->metric[SD_METRIC_WIDTH_MOST] = SD_OK(3.8);
}

/* What others' use of the cores makes slower, it makes slower below malloc as well. */
static void time_below_malloc_on_shared_cores_is_possible_at_most(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {.wall = 6.2, .user = 12.3, .system = .1};

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		struct sd_record r;
		struct sd_analysis a;
		struct stacks s;

		record_make(&r, cores, 2);
		s = make_stacks(&r);
		for (int i = 0; i < RUNS; i++) {
			struct sd_run *run = record_sample(&r, 0, &one, 1 + .001 * i);

			set_width(run, 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 8.9);
			make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 1);
			run = record_sample(&r, 1, &many, 1 + .001 * i);
			set_width(run, shared ? .7 : 1);
			make_use(run, s.relax, SD_ACTIVITY_USEFUL, 8.9);
			make_use(run, s.malloc, SD_ACTIVITY_USEFUL, 3.4);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.scales, shared ? SD_SCALES_UNKNOWN : SD_SCALES_NO);
		assert_int_equal(finding_of(&a, SD_CAUSE_ALLOCATOR)->verdict,
			shared ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void the_locks_table_merges_the_runs(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	static const struct sample many = {
		.wall = 5, .user = 10, .system = .1, .idle = {[SD_IDLE_LOCK] = 9.9}};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;
	unsigned name;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	assert_int_equal(sd_stacks_text(&r.stacks, "queue_lock", &name), 0);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);
		struct sd_lock_use *l;

		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
		run = record_sample(&r, 1, &many, 1);
		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 10);
		make_lock(run, 0, SD_ACTIVITY_MUTEX, 3, .2)->address = 64;
		l = make_lock(run, name, SD_ACTIVITY_MUTEX, 1000, 8);
		l->address = (uint64_t)i; /* another one in every run */
		l->acquisitions = SD_OK(4000);
		l->holder[0].node = s.lock;
		l->holder[0].seconds = 6;
		l->holder[1].node = s.init;
		l->holder[1].seconds = 2;
		l->waiter[0].node = s.lock;
		l->waiter[0].seconds = 8;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_lock, 2);
	assert_string_equal(a.lock[0].name, "queue_lock");
	assert_string_equal(a.lock[0].kind, "mutex");
	assert_near(a.lock[0].waits, 1000, 1e-9);
	assert_near(a.lock[0].wait_s, 8, 1e-9);
	assert_near(a.lock[0].cores.value, 8. / 5, 1e-9);
	assert_near(a.lock[0].conflict.value, .25, 1e-9);
	assert_int_equal(a.lock[0].n_holder, 2);
	assert_string_equal(a.lock[0].holder[0].function, "push");
	assert_near(a.lock[0].holder[0].share, .75, 1e-9);
	assert_null(a.lock[1].name);
	assert_true(has_evidence(finding_of(&a, SD_CAUSE_LOCK_CONTENTION),
		"queue_lock (mutex): 1000 waits a run, 8 s in all, held meanwhile by push() "
		"queue.c:41"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* On the heap or a stack: at another address in every run. */
static void locks_without_a_name_are_one_over_the_runs(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 9.9, .system = .1};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);
		/* two locks of one place, wanted for 4 s and for 1 s, and one of another place */
		static const double wait_s[] = {1, 4, 2};

		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
		run = record_sample(&r, 1, &one, 1);
		make_use(run, s.relax, SD_ACTIVITY_USEFUL, 9.9);
		for (int k = 0; k < 3; k++) {
			const int which = (k + i) % 3;
			struct sd_lock_use *const l =
				make_lock(run, 0, SD_ACTIVITY_MUTEX, 100, wait_s[which]);

			l->address = (uint64_t)(4096 * i + 64 * k);
			l->waiter[0].node = which == 2 ? s.init : s.lock;
			l->waiter[0].seconds = wait_s[which];
		}
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_lock, 3);
	assert_near(a.lock[0].wait_s, 4, 1e-9);
	assert_near(a.lock[0].waits, 100, 1e-9);
	assert_near(a.lock[0].cores.value, .4, 1e-9);
	assert_near(a.lock[1].wait_s, 2, 1e-9);
	assert_near(a.lock[2].wait_s, 1, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void threads_at_a_time_are_shares_and_the_critical_path_is_divided(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_mixture(&r, &a);
	sd_analysis_free(&a);
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_run *const run = &r.run[i];

		free(run->concurrency);
		free(run->sampled.bottle);
		run->concurrency = calloc(3, sizeof *run->concurrency);
		run->n_concurrency = 3;
		run->concurrency[1] = 1;
		run->concurrency[2] = 3;
		run->sampled.bottle = calloc(2, sizeof *run->sampled.bottle);
		run->sampled.n_bottle = 2;
		run->sampled.bottle[0] = (struct sd_bottle){7, 8, "main", 3, 1.25};
		run->sampled.bottle[1] = (struct sd_bottle){7, 9, "", 1, NAN};
		for (size_t k = 0; k < run->sampled.n_use; k++)
			run->sampled.use[k].solo = run->sampled.use[k].seconds;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.threads.n_together, 3);
	assert_near(a.threads.together[0], 0, 1e-9);
	assert_near(a.threads.together[1], .25, 1e-9);
	assert_near(a.threads.together[2], .75, 1e-9);
	assert_int_equal(a.threads.n_row, 2);
	assert_int_equal(a.threads.row[0].tid, 8);
	assert_string_equal(a.threads.row[0].name, "main");
	assert_near(a.threads.row[0].share, .75, 1e-9);
	assert_near(a.threads.row[0].width, 1.25, 1e-9);
	assert_near(a.threads.row[1].width, 0, 1e-9);
	assert_true(a.threads.n_alone > 0 && a.threads.alone[0].share > 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void stacks_that_say_too_little_leave_the_rest_to_nobody(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 5, .user = 20};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		make_use(record_sample(&r, 0, &one, 1), s.relax, SD_ACTIVITY_USEFUL, 10);
		make_use(record_sample(&r, 1, &many, 1), s.relax, SD_ACTIVITY_USEFUL, 12);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	/* 12 of 20 s were sampled: 8 s are no function's */
	assert_near(row_of(&a, "relax")->cost[SD_COST_GROWTH], (12 - 10) / 5., 1e-9);
	assert_near(a.losses.unknown[SD_COST_GROWTH], 8 / 5., 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void without_samples_at_both_ends_there_is_no_table(void **state)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 5, .user = 20};
	struct sd_record r;
	struct sd_analysis a;
	struct stacks s;

	(void)state;
	record_make(&r, cores, 2);
	s = make_stacks(&r);
	for (int i = 0; i < RUNS; i++) {
		record_sample(&r, 0, &one, 1)->sampled.status = SD_STATUS_DENIED;
		make_use(record_sample(&r, 1, &many, 1), s.spin, SD_ACTIVITY_SPIN_BARRIER, 20);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.losses.n_row, 0);
	assert_int_equal(a.point[1].stack[SD_COMPONENT_SPINNING].status, SD_STATUS_ABSENT);
	assert_near(a.point[1].stack[SD_COMPONENT_GROWTH].value, 2, 1e-9);
	assert_true(a.sampling.mixed);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Code without a symbol, as a stack of its own. */
static unsigned make_bare(struct sd_record *r, const char *module, uint64_t offset)
{
	struct sd_frame f = {.offset = offset};
	unsigned number, node;

	assert_int_equal(sd_stacks_text(&r->stacks, module, &f.module), 0);
	assert_int_equal(sd_stacks_frame(&r->stacks, &f, &number), 0);
	assert_int_equal(sd_stacks_node(&r->stacks, 0, number, &node), 0);
	return node;
}

static void code_without_symbols_is_told_apart_by_its_offset_in_its_file(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	unsigned near, far, jit, jit_too, jitted = 0;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	near = make_bare(&r, "/opt/x/app", 0x1140);
	far = make_bare(&r, "/opt/x/app", 0x2200);
	jit = make_bare(&r, "[jit]", 0x7f0000001000);
	jit_too = make_bare(&r, "[jit]", 0x7f0000002000);
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);

		make_use(run, near, SD_ACTIVITY_USEFUL, 10);
		run = record_sample(&r, 1, &many, 1);
		make_use(run, near, SD_ACTIVITY_USEFUL, 11);
		make_use(run, far, SD_ACTIVITY_USEFUL, 3);
		make_use(run, jit, SD_ACTIVITY_USEFUL, 1);
		make_use(run, jit_too, SD_ACTIVITY_USEFUL, 1);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(row_of(&a, "[app+0x1140]")->cost[SD_COST_GROWTH], 1 / 8., 1e-9);
	assert_near(row_of(&a, "[app+0x2200]")->cost[SD_COST_GROWTH], 3 / 8., 1e-9);
	for (size_t i = 0; i < a.losses.n_row; i++)
		if (!a.losses.row[i].at.function) {
			assert_string_equal(a.losses.row[i].at.module, "[jit]");
			assert_near(a.losses.row[i].cost[SD_COST_GROWTH], 2 / 8., 1e-9);
			jitted++;
		}
	assert_int_equal(jitted, 1);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A library linked in has no lines; a frame may lack all but its module; numbers may lie. */
static void odd_stacks_have_a_place_too(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample many = {.wall = 8, .user = 16};
	struct sd_record r;
	struct sd_analysis a;
	unsigned work, linked, bare, std;

	(void)state;
	record_make(&r, cores, 2);
	work = make_call(&r, 0, "work", "/home/u/app.c", 7, "/home/u/app");
	linked = make_call(&r, work, "zlib_deflate", NULL, 0, "/home/u/app");
	std = make_call(&r, work, "std::vector<int>::operator[](unsigned long)",
		"/usr/include/c++/12/bits/stl_vector.h", 1123, "/home/u/app");
	bare = make_call(&r, 0, NULL, NULL, 0, "/opt/x/libx.so");
	for (int i = 0; i < RUNS; i++) {
		struct sd_run *run = record_sample(&r, 0, &one, 1);

		make_use(run, work, SD_ACTIVITY_USEFUL, 10);
		run = record_sample(&r, 1, &many, 1);
		make_use(run, work, SD_ACTIVITY_USEFUL, 11);
		make_use(run, linked, SD_ACTIVITY_USEFUL, 2);
		make_use(run, std, SD_ACTIVITY_USEFUL, 1);
		make_use(run, bare, SD_ACTIVITY_USEFUL, 1);
		make_use(run, 4000000, SD_ACTIVITY_USEFUL, 1);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(row_of(&a, "work")->cost[SD_COST_GROWTH], (14 - 10) / 8., 1e-9);
	assert_near(row_of(&a, "zlib_deflate")->exclusive.value, 2 / 8., 1e-9);
	assert_near(a.losses.unknown[SD_COST_GROWTH], 1 / 8., 1e-9);
	for (size_t i = 0; i < a.losses.n_row; i++)
		if (!a.losses.row[i].at.function)
			assert_string_equal(a.losses.row[i].at.module, "/opt/x/libx.so");
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void folded_stacks_count_both_sides(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_folded_stacks f;
	double after = 0;

	(void)state;
	make_mixture(&r, &a);
	assert_int_equal(sd_fold_stacks(&r, 0, 0, &f), 0);
	assert_int_equal(f.cores_before, 1);
	assert_int_equal(f.cores_after, 4);
	for (size_t i = 0; i < f.n; i++) {
		after += f.row[i].after;
		if (i)
			assert_true(strcmp(f.row[i - 1].stack, f.row[i].stack) < 0);
		if (strcmp(f.row[i].stack, "main;init") == 0)
			assert_near(f.row[i].before, 1e6 * 1.0025, 1e-6 * 1e6);
	}
	assert_near(after, 1e6 * 15 * 1.0025, 1);
	assert_string_equal(f.row[0].stack,
		"main;GOMP_barrier;gomp_team_barrier_wait_end;[spinning at a barrier]");
	sd_folded_stacks_free(&f);
	assert_int_equal(sd_fold_stacks(&r, 3, 0, &f), -ENOENT);
	sd_folded_stacks_free(&f);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spinning_leaves_the_user_time_and_the_stack_still_sums_to_n),
		cmocka_unit_test(a_functions_losses_sum_to_the_components),
		cmocka_unit_test(blame_goes_to_the_code_that_was_waited_for),
		cmocka_unit_test(every_cause_names_its_place),
		cmocka_unit_test(locks_below_malloc_are_the_allocators),
		cmocka_unit_test(tasks_that_are_too_small_are_barrier_overhead_and_nothing_else),
		cmocka_unit_test(time_below_malloc_on_shared_cores_is_possible_at_most),
		cmocka_unit_test(the_locks_table_merges_the_runs),
		cmocka_unit_test(locks_without_a_name_are_one_over_the_runs),
		cmocka_unit_test(threads_at_a_time_are_shares_and_the_critical_path_is_divided),
		cmocka_unit_test(stacks_that_say_too_little_leave_the_rest_to_nobody),
		cmocka_unit_test(without_samples_at_both_ends_there_is_no_table),
		cmocka_unit_test(code_without_symbols_is_told_apart_by_its_offset_in_its_file),
		cmocka_unit_test(odd_stacks_have_a_place_too),
		cmocka_unit_test(folded_stacks_count_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
