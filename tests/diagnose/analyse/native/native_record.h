/*
 * Records of one and two cores whose samples say which lines their loops touch.
 */
#ifndef SD_TEST_NATIVE_RECORD_H
#define SD_TEST_NATIVE_RECORD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/make_simulated.h"

#define APP "/home/u/app"

/* A loop's time at one and at two cores, s of user time; of that at two, shares of it. */
struct loop {
	const char *function, *module;
	double one, two;
	double of_false, of_true, of_lock, split, maybe, unknown, read;
	double lines; /* distinct ones; 0: a handful */
};

struct program {
	struct loop loop[4];
	double waits;     /* core-s for a mutex at two cores, which work() takes */
	double spins;     /* core-s that work() spins for a lock at two cores */
	double writes;    /* share of the samples that write the line; 0: all that touch it */
	int random;       /* all threads use all of its bytes */
	int pool;         /* the line has words of locks, one for each thread */
	double proven;    /* writes a second that watchpoints counted at most; 0: nobody asked */
	unsigned runs;    /* 0: 6 */
	int single;       /* at two cores only */
	double alone;     /* wall time at one core; 0: 10 s of one thread */
	const char *name; /* of the line; NULL: "counters+0x40" */
	const char *heap_why; /* NULL: "" */
	unsigned sites[2];    /* two more lines of that name, of these sites, in the last of 12 runs
			       */
};

/* Lines of the same name from sites of their own: one that costs less, one that costs more. */
static inline void put_sites(const struct program *p, struct sd_native_lines *n)
{
	struct sd_native_line *const line = make_zeroed(3, sizeof *line);

	line[0] = n->line[0];
	for (int k = 1; k < 3; k++) {
		line[k].line = (struct sd_sim_contested){
			.name = line[0].line.name, .site = p->sites[k - 1], .address = 64u * k};
		line[k].contested = (k == 1 ? .5 : 2) * line[0].contested;
		line[k].writes = line[k].proven = line[k].proven_most = SD_NOT(ABSENT);
	}
	free(n->line);
	n->line = line;
	n->n_line = n->n_line_seen = 3;
}

static inline struct sd_native_line *put_line(struct sd_record *r, const struct program *p,
	struct sd_native_lines *n, double touched, double wall)
{
	struct sd_simulated s = {.n_contested = 0};
	unsigned name;

	make_simulated_threads(&s, 2);
	make_false_line(r, &s, 0);
	if (sd_stacks_text(&r->stacks, p->name ? p->name : "counters+0x40", &name))
		abort();
	n->line = make_zeroed(1, sizeof *n->line);
	n->n_line = n->n_line_seen = 1;
	n->line[0] = (struct sd_native_line){.line = s.contested[0],
		.seconds = touched,
		.contested = touched,
		.spun = p->spins * wall / 10,
		.writes = SD_OK(400 * (p->writes > 0 ? p->writes * n->seconds : touched) / wall),
		.lock = p->pool};
	if (!(touched > 0))
		n->line[0].writes = SD_NOT(ABSENT);
	if (p->proven > 0) {
		n->line[0].proven = SD_OK(p->proven / 2);
		n->line[0].proven_most = SD_OK(p->proven);
		n->line[0].watched = n->line[0].writers = 2;
	}
	n->line[0].line.name = name;
	n->line[0].line.share = 1;
	n->line[0].line.separated = SD_NOT(ABSENT);
	for (size_t i = 0; i < n->line[0].line.n_sharer; i++) {
		n->line[0].line.sharer[i].hitm = 100;
		if (p->random)
			n->line[0].line.sharer[i].written = n->line[0].line.sharer[i].read =
				UINT64_MAX;
	}
	if (p->random)
		n->line[0].line.sharing = SD_SIM_MIXED;
	free(s.contested);
	free(s.thread);
	return n->line;
}

/* Adds a run's samples: 400 a second of user time. */
static inline void put_native(
	struct sd_record *r, struct sd_run *run, const struct program *p, int two, double f)
{
	struct sd_native_lines *const n = make_zeroed(1, sizeof *n);
	double touched = 0;
	int read = 0;

	*n = (struct sd_native_lines){.status = SD_STATUS_OK, .line_bytes = 64};
	snprintf(n->heap_why, sizeof n->heap_why, "%s", p->heap_why ? p->heap_why : "");
	n->loop = make_zeroed(4, sizeof *n->loop);
	for (size_t i = 0; i < 4 && p->loop[i].function; i++) {
		const struct loop *const l = &p->loop[i];
		const double s = f * (two ? l->two : l->one);

		n->loop[n->n_loop++] = (struct sd_native_loop){
			.node = make_call(r, 0, l->function, "a.c", 7 + (unsigned)i,
				l->module ? l->module : APP),
			.seconds = s,
			.false_s = two ? s * l->of_false : 0,
			.true_s = two ? s * l->of_true : 0,
			.lock_s = two ? s * l->of_lock : 0,
			.split_s = two ? s * l->split : 0,
			.maybe_s = two ? s * l->maybe : 0,
			.unknown_s = s * l->unknown,
			.read_s = two ? s * l->read : 0,
			.line = two && l->of_false + l->of_true + l->of_lock + l->split > 0,
			.lines = l->lines > 0 ? l->lines : 2,
			.pages = l->lines > 0 ? l->lines / 2 : 1};
		n->seconds += s;
		touched += two ? s * (l->of_false + l->of_true + l->of_lock + l->split) : 0;
		read |= two && l->read > 0;
	}
	n->n_loop_seen = n->n_loop;
	n->samples = n->resolved = 400 * n->seconds;
	if (touched > 0 || read || (two && p->pool))
		put_line(r, p, n, touched, run->metric[SD_METRIC_WALL].value);
	for (size_t i = 0; n->n_line && i < n->n_loop; i++) {
		n->line[0].maybe += p->proven > 0 ? n->loop[i].maybe_s : 0;
		n->line[0].read += n->loop[i].read_s;
	}
	if (n->n_line && p->sites[0])
		n->line[0].line.site = 0;
	if (n->n_line && p->sites[0] && r->n_run == 12)
		put_sites(p, n);
	run->native = n;
}

static inline void put_run(struct sd_record *r, const struct program *p, int two, double f)
{
	struct sample s = {.wall = 0};
	struct sd_run *run;

	for (size_t i = 0; i < 4 && p->loop[i].function; i++)
		s.user += two ? p->loop[i].two : p->loop[i].one;
	s.user += two ? p->spins : 0;
	s.wall = (s.user + (two ? p->waits : 0)) / (two ? 2 : 1);
	s.idle[SD_IDLE_LOCK] = two ? p->waits : 0;
	run = record_sample(r, two && !p->single, &s, f);
	for (size_t i = 0; i < 4 && p->loop[i].function; i++)
		make_use(run,
			make_call(r, make_call(r, 0, "main", "a.c", 1, APP), p->loop[i].function,
				"a.c", 7 + (unsigned)i,
				p->loop[i].module ? p->loop[i].module : APP),
			SD_ACTIVITY_USEFUL, f * (two ? p->loop[i].two : p->loop[i].one))
			->atomic = f * (two ? p->loop[i].two : p->loop[i].one) * p->loop[i].split;
	if (two && p->spins > 0)
		make_use(run, make_call(r, 0, "work", "a.c", 5, APP), SD_ACTIVITY_SPIN_LOCK,
			f * p->spins)
			->atomic = f * p->spins;
	if (two && p->waits > 0) {
		struct sd_lock_use *const l =
			make_lock(run, 0, SD_ACTIVITY_MUTEX, 1000, f * p->waits);

		l->waiter[0] = (struct sd_lock_stack){
			make_call(r, 0, "work", "a.c", 7, APP), f * p->waits};
		make_use(run, l->waiter[0].node, SD_ACTIVITY_MUTEX, f * p->waits);
	}
	put_native(r, run, p, two, f);
}

/* No noise but .3 % of the times. */
static inline void make_native_record(struct sd_record *r, const struct program *p)
{
	static const unsigned cores[] = {1, 2};
	const unsigned runs = p->runs ? p->runs : 6;

	record_make(r, cores + (p->single != 0), p->single ? 1 : 2);
	for (int two = p->single != 0; two < 2; two++)
		for (unsigned i = 0; i < runs; i++)
			put_run(r, p, two, 1 + .0005 * i);
}

static inline int native_evidence(const struct sd_finding *f, const char *text)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], text))
			return 1;
	return 0;
}

/* The record that is judged, and what comes of it; done() frees both. */
static struct sd_record record;
static struct sd_analysis analysis;

static inline const struct sd_finding *judge(const struct program *p, enum sd_cause cause)
{
	make_native_record(&record, p);
	assert_int_equal(sd_analyse(&record, NULL, NULL, &analysis), 0);
	return finding_of(&analysis, cause);
}

static inline int done(void **state)
{
	(void)state;
	sd_analysis_free(&analysis);
	sd_record_free(&record);
	return 0;
}

static inline enum sd_verdict verdict(enum sd_cause cause)
{
	return finding_of(&analysis, cause)->verdict;
}

#endif
