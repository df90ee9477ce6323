/*
 * Generated records and timelines of any size: what a run of a large program on a large machine
 * leaves.
 */
#ifndef SD_BENCH_LARGE_RECORD_H
#define SD_BENCH_LARGE_RECORD_H

#include <stdarg.h>
#include <stdio.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "trace/timeline.h"

struct large {
	unsigned counts, cores; /* so many counts up to so many cores */
	unsigned runs;          /* a count */
	unsigned functions;     /* as many stacks, some eight calls deep */
	unsigned threads;
	unsigned alive; /* of the threads of a timeline at most at once; 0: all */
};

/* The cores of count i. */
static inline unsigned large_count(const struct large *l, unsigned i)
{
	return i + 1 < l->counts ? 1 + i * (l->cores - 1) / l->counts : l->cores;
}

__attribute__((format(printf, 2, 3))) static inline unsigned large_text(
	struct sd_record *r, const char *format, ...)
{
	char name[64];
	unsigned number = 0;
	va_list list;

	va_start(list, format);
	vsnprintf(name, sizeof name, format, list);
	va_end(list);
	if (sd_stacks_text(&r->stacks, name, &number))
		abort();
	return number;
}

/* A call tree of that many functions, some eight calls deep. */
static inline unsigned *large_stacks(struct sd_record *r, unsigned functions)
{
	unsigned *const node = make_zeroed(functions, sizeof *node);

	for (unsigned i = 0; i < functions; i++) {
		const struct sd_frame f = {.function = large_text(r, "solver::step_%u", i),
			.file = large_text(r, "/home/user/src/part_%u.cc", i / 16),
			.module = large_text(r, "/home/user/bin/solver"),
			.line = 10 + i % 900,
			.offset = 0x1000 + 16 * (uint64_t)i};
		unsigned frame;

		if (sd_stacks_frame(&r->stacks, &f, &frame) ||
			sd_stacks_node(&r->stacks, i ? node[(i - 1) / 3] : 0, frame, &node[i]))
			abort();
	}
	return node;
}

static inline void large_samples(
	struct sd_run *run, const unsigned *node, unsigned functions, double seconds)
{
	struct sd_sampled *const s = &run->sampled;
	const size_t n = functions < SD_SAMPLED_ROWS ? functions : SD_SAMPLED_ROWS;

	*s = (struct sd_sampled){.status = SD_STATUS_OK,
		.switch_stacks = SD_STATUS_OK,
		.kernel = SD_STATUS_OK,
		.wakers = SD_STATUS_OK,
		.hz = 400,
		.samples = 400 * seconds,
		.unwound = 1,
		.n_use = n};
	s->use = make_zeroed(n, sizeof *s->use);
	for (size_t i = 0; i < n; i++)
		s->use[i] = (struct sd_use){.node = node[i],
			.activity = i % 7 ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_MUTEX,
			.seconds = seconds / (double)n,
			.count = 400 * seconds / (double)n,
			.blame = .01 * seconds / (double)n};
}

static inline void large_threads(struct sd_run *run, unsigned threads, double seconds)
{
	/* the busiest of them */
	run->n_thread = threads < SD_RUN_THREADS ? threads : SD_RUN_THREADS;
	run->thread = make_zeroed(run->n_thread, sizeof *run->thread);
	run->n_thread_seen = threads;
	for (unsigned i = 0; i < run->n_thread; i++) {
		run->thread[i].tid = 1000 + (int)i;
		run->thread[i].cpu = SD_OK(seconds / threads);
		snprintf(run->thread[i].name, sizeof run->thread[i].name, "worker/%u", i);
	}
}

static inline struct sd_binned_lanes *large_lanes(unsigned threads)
{
	struct sd_binned_lanes *const l = make_zeroed(1, sizeof *l);

	l->length = 10000000000;
	l->bins = SD_BINNED_BINS;
	l->n_seen = threads;
	l->n_doing = 2;
	l->doing = make_zeroed(2, sizeof *l->doing);
	l->doing[0] = (struct sd_binned_doing){SD_ACTIVITY_USEFUL, 1, 0};
	l->doing[1] = (struct sd_binned_doing){SD_ACTIVITY_MUTEX, 2, 0};
	l->n_lane = threads < SD_BINNED_LANES ? threads : SD_BINNED_LANES;
	l->lane = make_zeroed(l->n_lane, sizeof *l->lane);
	for (unsigned i = 0; i < l->n_lane; i++) {
		struct sd_binned_lane *const lane = &l->lane[i];

		*lane = (struct sd_binned_lane){.pid = 1000, .tid = 1000 + (int)i};
		snprintf(lane->name, sizeof lane->name, "worker/%u", i);
		lane->n_step = SD_BINNED_STEPS / SD_BINNED_LANES;
		lane->step = make_zeroed(lane->n_step, sizeof *lane->step);
		for (unsigned k = 0; k < lane->n_step; k++)
			lane->step[k] = (struct sd_binned_step){40, k % 2};
	}
	return l;
}

static inline void make_large(struct sd_record *r, const struct large *l)
{
	unsigned *const cores = make_zeroed(l->counts, sizeof *cores), *node;

	for (unsigned i = 0; i < l->counts; i++)
		cores[i] = large_count(l, i);
	make_record(r, cores, l->counts);
	node = large_stacks(r, l->functions);
	for (unsigned i = 0; i < l->counts; i++)
		for (unsigned k = 0; k < l->runs; k++) {
			const double n = cores[i], vary = 1 + .004 * (double)(k % 5);
			struct sample s = {.user = 1000 + n, .system = 1 + .1 * n};
			struct sd_run *run;

			for (int j = 0; j < SD_IDLE_COUNT; j++)
				s.idle[j] = .03 * n;
			s.wall = (s.user + s.system + SD_IDLE_COUNT * .03 * n) / n;
			run = record_sample(r, i, &s, vary);
			run->block = k;
			large_samples(run, node, l->functions, s.user);
			large_threads(run, l->threads, s.user);
			if (k == 0 && i % 4 == 0)
				run->lanes = large_lanes(l->threads);
		}
	free(node);
	free(cores);
}

/* It ran, makes the next one ready where that is known, and waits for one of 64 locks. */
static inline void large_turn(struct sd_timeline *t, unsigned thread, unsigned next, int is_told,
	unsigned stack, uint64_t *at)
{
	unsigned place = 0;
	int fresh;

	if (sd_timeline_place(t, 1000, 0x1000 + 64 * (uint64_t)(thread % 64), stack,
		    SD_ACTIVITY_MUTEX, &place, &fresh) ||
		sd_timeline_add(t, &(struct sd_moment){.time = *at += 10,
					   .kind = SD_MOMENT_SAMPLE,
					   .activity = SD_ACTIVITY_USEFUL,
					   .thread = thread,
					   .node = stack,
					   .weight = 1000}) ||
		(is_told && sd_timeline_add(t, &(struct sd_moment){.time = *at += 10,
						       .kind = SD_MOMENT_WAKE,
						       .thread = thread,
						       .other = next})) ||
		sd_timeline_add(t, &(struct sd_moment){.time = *at += 10,
					   .kind = SD_MOMENT_OUT,
					   .activity = SD_ACTIVITY_MUTEX,
					   .thread = thread,
					   .node = stack,
					   .lock = place + 1}))
		abort();
}

/* Threads that are there at once: all run on all cores in turn, each somewhere else every time, and
 * wait `waits` times. */
static inline void large_generation(struct sd_timeline *t, const struct large *l, unsigned first,
	unsigned n, const unsigned *node, unsigned waits, int is_told)
{
	const unsigned most = l->cores < n ? l->cores : (n + 1) / 2;
	uint64_t at = t->n ? t->moment[t->n - 1].time : t->start;
	unsigned number = 0;

	for (unsigned i = 0; i < n; i++)
		if (sd_timeline_born(t, 1000, 1000 + (int)(first + i), 1, &number) ||
			sd_timeline_add(t, &(struct sd_moment){.time = at += 10,
						   .kind = SD_MOMENT_BORN,
						   .thread = number}))
			abort();
	for (unsigned k = 0; k < n * waits + most; k++) {
		if (k < n * waits && sd_timeline_add(t, &(struct sd_moment){.time = at += 10,
								.kind = SD_MOMENT_IN,
								.thread = first + k % n}))
			abort();
		if (k >= most)
			large_turn(t, first + (k - most) % n, first + (k + 1) % n, is_told,
				node[k * 7 % l->functions], &at);
	}
	for (unsigned i = 0; i < n; i++)
		if (sd_timeline_add(t,
			    &(struct sd_moment){
				    .time = at += 10, .kind = SD_MOMENT_EXIT, .thread = first + i}))
			abort();
}

/* The timeline of a run. `is_told`: by a kernel that reports who wakes whom. */
static inline void make_large_timeline(struct sd_timeline *t, const struct large *l,
	const unsigned *node, unsigned waits, int is_told)
{
	const unsigned most = l->alive ? l->alive : l->threads;

	*t = (struct sd_timeline){.first = 1000, .start = 1000};
	for (unsigned first = 0; first < l->threads; first += most)
		large_generation(t, l, first, l->threads - first < most ? l->threads - first : most,
			node, waits, is_told);
	t->end = t->moment[t->n - 1].time + 10;
	sd_timeline_bound(t);
}

#endif
