#include "preload/omp_strand.h"

#include <string.h>

__thread struct sd_omp_member *sd_omp_member;

/* Runs the region's code in a thread of the team, and times it. */
static void run_member(void *data)
{
	struct sd_omp_team *const t = data;
	struct sd_omp_member self = {.team = t}, *const before = sd_omp_member;
	struct sd_omp_chain own = {0};
	const struct sd_omp_strand outer = sd_omp_strand_enter(t, t->follows ? &own : NULL);
	const uint64_t began = sd_omp_now();
	uint64_t ended;

	sd_omp_member = &self;
	sd_omp_strand_resume(began);
	t->fn(t->data);
	ended = sd_omp_now();
	sd_omp_strand_pause(ended);
	if (t->follows)
		sd_omp_span_close(&t->span, &own);
	sd_omp_strand_leave(&outer);
	sd_omp_member = before;
	__atomic_fetch_add(&t->threads, 1, __ATOMIC_RELAXED);
	sd_omp_add(&t->began, began - t->entered);
	sd_omp_add(&t->ended, ended - t->entered);
	sd_omp_later(&t->last, ended);
	sd_omp_add(&t->imbalance, self.imbalance);
	sd_omp_add(&t->barrier, self.barrier);
	/* an estimate where not all were timed */
	sd_omp_add(&t->lock, self.lock < ended - began ? self.lock : ended - began);
	sd_omp_add(&t->scheduling, self.scheduling);
	sd_omp_add(&t->tasks, self.tasks);
	sd_omp_add(&t->whole, self.whole);
	sd_omp_add(&t->calls, self.calls + SD_OMP_LOG_TIMED);
}

int sd_omp_by_gomp;

/* Regions without tasks may be entered every few us: the clock of CPU time is for those that may
 * have some. One inside of another is a part of the other's chain, which ends to be known. */
static uint32_t follows(struct sd_omp_team *t)
{
	const struct sd_omp_region *const r = t->row;

	if (t->around)
		__atomic_store_n(&t->around->span.unspanned, 1, __ATOMIC_RELAXED);
	return !t->around && (!__atomic_load_n(&r->entries, __ATOMIC_RELAXED) ||
				     __atomic_load_n(&r->tasks, __ATOMIC_RELAXED));
}

/* 0: nothing is noted of it. */
static int enter(struct sd_omp_team *t, void (*fn)(void *), void *data)
{
	struct sd_omp_region *const row = sd_omp_by_ompt ? NULL : sd_omp_log_row(fn);

	if (row && !sd_omp_by_gomp)
		sd_omp_by_gomp = 1;
	if (!row)
		return 0;
	memset(t, 0, sizeof *t);
	t->fn = fn;
	t->data = data;
	t->row = row;
	t->around = sd_omp_member ? sd_omp_member->team : NULL;
	t->follows = follows(t);
	t->entered = sd_omp_now();
	if (!t->around)
		sd_omp_add(&row->serial, sd_omp_log_begins(t->entered));
	return 1;
}

static void note_team(struct sd_omp_region *row, uint32_t threads)
{
	uint32_t least = __atomic_load_n(&row->least, __ATOMIC_RELAXED);
	uint32_t most = __atomic_load_n(&row->most, __ATOMIC_RELAXED);

	while ((!least || threads < least) &&
		!__atomic_compare_exchange_n(
			&row->least, &least, threads, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	while (threads > most && !__atomic_compare_exchange_n(&row->most, &most, threads, 0,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void sd_omp_leave_team(const struct sd_omp_team *t)
{
	const uint64_t now = sd_omp_now(), elapsed = now - t->entered;
	const uint64_t last = t->last - t->entered, n = t->threads;
	const uint64_t waited = n * last - t->ended;
	struct sd_omp_region *const r = t->row;

	if (!t->around)
		sd_omp_log_ends(now);
	note_team(r, t->threads);
	sd_omp_add(&r->entries, 1);
	sd_omp_add(&r->nested, t->around != NULL);
	sd_omp_add(&r->elapsed, elapsed);
	sd_omp_add(&r->thread_ns, n * elapsed);
	sd_omp_add(&r->tasks, t->tasks);
	sd_omp_add(&r->whole, t->whole != 0);
	sd_omp_add(&r->calls, t->calls);
	sd_omp_strand_add(t);
	if (t->whole)
		return;
	sd_omp_add(&r->imbalance,
		t->imbalance + (waited > t->late_tasks ? waited - t->late_tasks : 0));
	sd_omp_add(&r->barrier, t->barrier + t->began + n * (elapsed - last));
	sd_omp_add(&r->lock, t->lock);
	sd_omp_add(&r->scheduling, t->scheduling);
}

/* Hides the thread's place for a region without a row, in which nothing is added up; returns it. */
static struct sd_omp_member *be_nobody(void)
{
	struct sd_omp_member *const before = sd_omp_member;

	sd_omp_member = NULL;
	return before;
}

/* ---- what GCC calls at a parallel region ----------------------------------------------------- */

#define FN void (*fn)(void *), void *data, unsigned threads
#define FN_TYPES void (*)(void *), void *, unsigned

/* The rest: the arguments behind the region's data. */
#define PARALLEL(name, parameters, types, ...)                \
	SD_OMP_EXPORT void name parameters;                   \
	SD_OMP_EXPORT void name parameters                    \
	{                                                     \
		struct sd_omp_team team;                      \
		struct sd_omp_member *before;                 \
		SD_OMP_REAL(name, void, types);               \
                                                              \
		if (enter(&team, fn, data)) {                 \
			real(run_member, &team, __VA_ARGS__); \
			sd_omp_leave_team(&team);             \
			return;                               \
		}                                             \
		before = be_nobody();                         \
		real(fn, data, __VA_ARGS__);                  \
		sd_omp_member = before;                       \
	}
#define LOOP(name)                                                                              \
	PARALLEL(name, (FN, long start, long end, long step, long chunk, unsigned flags),       \
		(FN_TYPES, long, long, long, long, unsigned), threads, start, end, step, chunk, \
		flags)
#define LOOP_AT_RUN_TIME(name)                                                \
	PARALLEL(name, (FN, long start, long end, long step, unsigned flags), \
		(FN_TYPES, long, long, long, unsigned), threads, start, end, step, flags)

PARALLEL(GOMP_parallel, (FN, unsigned flags), (FN_TYPES, unsigned), threads, flags)
PARALLEL(GOMP_parallel_sections, (FN, unsigned count, unsigned flags),
	(FN_TYPES, unsigned, unsigned), threads, count, flags)
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_runtime)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

SD_OMP_EXPORT unsigned GOMP_parallel_reductions(FN, unsigned flags);
SD_OMP_EXPORT unsigned GOMP_parallel_reductions(FN, unsigned flags)
{
	struct sd_omp_member *before;
	struct sd_omp_team team;
	unsigned out;
	SD_OMP_REAL(GOMP_parallel_reductions, unsigned, (FN_TYPES, unsigned));

	if (enter(&team, fn, data)) {
		memcpy(&team.first, data, sizeof team.first); /* libgomp reads it there */
		out = real(run_member, &team, threads, flags);
		sd_omp_leave_team(&team);
		return out;
	}
	before = be_nobody();
	out = real(fn, data, threads, flags);
	sd_omp_member = before;
	return out;
}
