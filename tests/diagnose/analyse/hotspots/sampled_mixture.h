/*
 * Records with samples: functions, stacks and the losses of each.
 */
#ifndef SD_TEST_SAMPLED_MIXTURE_H
#define SD_TEST_SAMPLED_MIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/near.h"

#define RUNS 6

/* The stacks of a small program in /home/u/app, with libgomp and libc. */
struct stacks {
	unsigned main, relax, init, memcpy, spin, malloc, lock, fault;
};

static inline struct stacks make_stacks(struct sd_record *r)
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

static inline const struct sd_loss_row *row_of(const struct sd_analysis *a, const char *function)
{
	for (size_t i = 0; i < a->losses.n_row; i++)
		if (a->losses.row[i].at.function &&
			strcmp(a->losses.row[i].at.function, function) == 0)
			return &a->losses.row[i];
	return NULL;
}

static inline int has_evidence(const struct sd_finding *f, const char *text)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], text))
			return 1;
	return 0;
}

/* The reference: 8 s of relax, .8 of it in memcpy, and 1 s of init. */
static inline void reference(struct sd_record *r, const struct stacks *s)
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
static inline void mixture(struct sd_record *r, const struct stacks *s)
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

static inline void make_mixture(struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 4};
	struct stacks s;

	record_make(r, cores, 2);
	s = make_stacks(r);
	reference(r, &s);
	mixture(r, &s);
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

#endif
