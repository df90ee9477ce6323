/*
 * Tasks. libgomp runs them where threads wait, so that each notes how long it took: its thread did
 * not wait then.
 */
#include "preload/omp_strand.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bits of the flags (gomp-constants.h). A detached task's data are more than its data. */
#define FINAL (1u << 1)
#define DEPENDENT (1u << 3)
#define DETACHED (1u << 13)

/* Before the data of a task, when libgomp copies them. */
struct head {
	void (*fn)(void *data);
	void (*copy)(void *to, void *from);
	void *data;               /* what is copied */
	size_t size, offset;      /* of the data; behind this */
	struct sd_omp_team *team; /* it ends no earlier than its tasks */
	struct sd_omp_made made;
	uint64_t *end; /* of its chain, for a maker that waits for it; NULL: none does */
};

static __thread unsigned depth; /* tasks inside of tasks, of a thread that has ended */

static struct sd_omp_strand begin_chain(
	const struct head *h, struct sd_omp_chain *chain, uint64_t now)
{
	const struct sd_omp_strand outer =
		sd_omp_strand_enter(h->team, h->made.followed ? chain : NULL);

	if (h->made.followed)
		sd_omp_span_begin(chain, &h->made);
	sd_omp_strand_resume(now);
	return outer;
}

static void end_chain(const struct head *h, struct sd_omp_chain *chain,
	const struct sd_omp_strand *outer, uint64_t now)
{
	sd_omp_strand_pause(now);
	if (h->end)
		*h->end = chain->length;
	if (h->made.followed)
		sd_omp_span_end(&h->team->span, chain, &h->made);
	sd_omp_strand_leave(outer);
}

static void run_task(void *argument)
{
	const struct head *const h = argument;
	struct sd_omp_team *const t = h->team;
	struct sd_omp_member *const m =
		sd_omp_member && sd_omp_member->team == t ? sd_omp_member : NULL;
	struct sd_omp_chain chain;
	const uint64_t before = m ? m->in_tasks : 0, began = sd_omp_now();
	const struct sd_omp_strand outer = begin_chain(h, &chain, began);
	uint64_t ended;

	depth += !m;
	h->fn((char *)argument + h->offset);
	ended = sd_omp_now();
	end_chain(h, &chain, &outer, ended);
	depth -= !m;
	if (m) { /* instead of what tasks inside of it have added */
		m->in_tasks = before + (ended - began);
		if (m->at_barrier)
			sd_omp_later(&t->arrival[m->barriers & 1], ended);
	} else if (!depth) {
		sd_omp_add(&t->late_tasks, ended - began);
		sd_omp_later(&t->last, ended);
	}
}

static void copy_task(void *to, void *from)
{
	const struct head *const h = from;

	memcpy(to, h, sizeof *h);
	if (h->copy)
		h->copy((char *)to + h->offset, h->data);
	else if (h->size)
		memcpy((char *)to + h->offset, h->data, h->size);
}

#define TASK                                                                                 \
	void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, \
		bool now, unsigned flags, void **depend, int priority, void *detach

/* !later: its maker waits for it. */
static void make_chain(struct head *h, bool later, unsigned flags, uint64_t *end)
{
	struct sd_omp_strand *const s = &sd_omp_strand;

	h->made = (struct sd_omp_made){0};
	h->end = NULL;
	if (!s->chain || s->team != h->team) {
		__atomic_store_n(&h->team->span.unspanned, 1, __ATOMIC_RELAXED);
		return;
	}
	if (flags & DEPENDENT)
		__atomic_store_n(&h->team->span.dependent, 1, __ATOMIC_RELAXED);
	h->made = sd_omp_span_make(&h->team->span, s->chain, flags & FINAL);
	if (h->made.followed && (!later || s->chain->final))
		h->end = end;
}

/* The region of whose tasks this thread makes one: it may do so behind its own part's end. */
static struct sd_omp_team *own_team(void)
{
	return sd_omp_member ? sd_omp_member->team : sd_omp_strand.team;
}

SD_OMP_EXPORT void GOMP_task(TASK);
SD_OMP_EXPORT void GOMP_task(TASK)
{
	struct sd_omp_member *const m = sd_omp_member;
	const size_t to = align > 16 ? (size_t)align : 16;
	struct head h = {fn, copy, data, size > 0 ? (size_t)size : 0, (sizeof h + to - 1) / to * to,
		own_team(), {0}, NULL};
	uint64_t at, tasks, took, end = 0;
	SD_OMP_REAL(GOMP_task, void,
		(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned,
			void **, int, void *));

	if (!h.team || (flags & DETACHED)) {
		if (m)
			m->whole++;
		real(fn, data, copy, size, align, now, flags, depend, priority, detach);
		return;
	}
	at = sd_omp_now();
	tasks = m ? m->in_tasks : 0;
	sd_omp_strand_pause(at);
	make_chain(&h, now, flags, &end);
	real(run_task, &h, copy_task, (long)(h.offset + h.size), (long)to, now, flags, depend,
		priority, detach);
	took = sd_omp_now() - at;
	if (sd_omp_strand.chain && sd_omp_strand.chain->length < end)
		sd_omp_strand.chain->length = end;
	sd_omp_strand_resume(at + took);
	if (!m) {
		sd_omp_add(&h.team->tasks, 1);
		sd_omp_add(&h.team->calls, 2 * SD_OMP_LOG_TIMED);
		return;
	}
	m->tasks++;
	m->calls += 2 * SD_OMP_LOG_TIMED; /* to make it and to run it */
	if (took > m->in_tasks - tasks)
		m->scheduling += took - (m->in_tasks - tasks);
}

/* Their tasks are given their part of the loop in their data, before which there is no room: how
 * long they take is not seen. */
#define TASKS(name, number)                                                                        \
	SD_OMP_EXPORT void name(void (*fn)(void *), void *data, void (*copy)(void *, void *),      \
		long size, long align, unsigned flags, unsigned long tasks, int priority,          \
		number start, number end, number step);                                            \
	SD_OMP_EXPORT void name(void (*fn)(void *), void *data, void (*copy)(void *, void *),      \
		long size, long align, unsigned flags, unsigned long tasks, int priority,          \
		number start, number end, number step)                                             \
	{                                                                                          \
		struct sd_omp_member *const m = sd_omp_member;                                     \
		SD_OMP_REAL(name, void,                                                            \
			(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, \
				unsigned long, int, number, number, number));                      \
                                                                                                   \
		if (m) {                                                                           \
			m->whole++;                                                                \
			m->tasks++;                                                                \
		}                                                                                  \
		real(fn, data, copy, size, align, flags, tasks, priority, start, end, step);       \
	}
TASKS(GOMP_taskloop, long)
TASKS(GOMP_taskloop_ull, unsigned long long)
