#include "preload/omp_pace.h"
#include "preload/omp_strand.h"

#include <stdbool.h>

/* ---- barriers -------------------------------------------------------------------------------- */

struct sd_omp_arrival sd_omp_arrive(struct sd_omp_member *m)
{
	const struct sd_omp_arrival a = {sd_omp_now(), m->in_tasks};

	sd_omp_later(&m->team->arrival[m->barriers & 1], a.at);
	m->at_barrier = 1;
	return a;
}

void sd_omp_leave(struct sd_omp_member *m, const struct sd_omp_arrival *a)
{
	const uint64_t now = sd_omp_now(), tasks = m->in_tasks - a->tasks;
	const uint64_t wait = now - a->at > tasks ? now - a->at - tasks : 0;
	const uint64_t last =
		__atomic_load_n(&m->team->arrival[m->barriers++ & 1], __ATOMIC_RELAXED);
	const uint64_t own = last < now ? now - last : 0;

	m->at_barrier = 0;
	m->calls += SD_OMP_LOG_TIMED;
	m->barrier += own < wait ? own : wait;
	m->imbalance += own < wait ? wait - own : 0;
}

static void arrive_chain(struct sd_omp_member *m, uint64_t now)
{
	if (!m->team->follows)
		return;
	sd_omp_strand_pause(now);
	sd_omp_span_arrive(&m->team->span, sd_omp_strand.chain);
}

static void leave_chain(struct sd_omp_member *m)
{
	if (!m->team->follows)
		return;
	sd_omp_span_leave(&m->team->span, sd_omp_strand.chain);
	sd_omp_strand_resume(sd_omp_now());
}

#define BARRIER(name)                                          \
	SD_OMP_EXPORT void name(void);                         \
	SD_OMP_EXPORT void name(void)                          \
	{                                                      \
		struct sd_omp_member *const m = sd_omp_member; \
		struct sd_omp_arrival a;                       \
		SD_OMP_REAL(name, void, (void));               \
                                                               \
		if (!m) {                                      \
			real();                                \
			return;                                \
		}                                              \
		a = sd_omp_arrive(m);                          \
		arrive_chain(m, a.at);                         \
		real();                                        \
		sd_omp_leave(m, &a);                           \
		leave_chain(m);                                \
	}
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

/* ---- waits for tasks: what the thread does of them itself is work ---------------------------- */

#define TASK_WAIT(name, join)                                           \
	SD_OMP_EXPORT void name(void);                                  \
	SD_OMP_EXPORT void name(void)                                   \
	{                                                               \
		struct sd_omp_member *const m = sd_omp_member;          \
		struct sd_omp_chain *const chain = sd_omp_strand.chain; \
		const uint64_t at = m || chain ? sd_omp_now() : 0;      \
		const uint64_t tasks = m ? m->in_tasks : 0;             \
		uint64_t wait;                                          \
		SD_OMP_REAL(name, void, (void));                        \
                                                                        \
		sd_omp_strand_pause(at);                                \
		real();                                                 \
		if (!m && !chain)                                       \
			return;                                         \
		wait = sd_omp_now() - at;                               \
		if (chain)                                              \
			join(chain);                                    \
		sd_omp_strand_resume(at + wait);                        \
		if (m && wait > m->in_tasks - tasks)                    \
			m->imbalance += wait - (m->in_tasks - tasks);   \
	}
TASK_WAIT(GOMP_taskwait, sd_omp_span_wait)
TASK_WAIT(GOMP_taskgroup_end, sd_omp_span_group_end)

SD_OMP_EXPORT void GOMP_taskgroup_start(void);
SD_OMP_EXPORT void GOMP_taskgroup_start(void)
{
	SD_OMP_REAL(GOMP_taskgroup_start, void, (void));

	real();
	if (sd_omp_strand.chain)
		sd_omp_span_group(&sd_omp_strand.team->span, sd_omp_strand.chain);
}

/* It waits for some of the tasks, by what they depend on. */
SD_OMP_EXPORT void GOMP_taskwait_depend(void **depend);
SD_OMP_EXPORT void GOMP_taskwait_depend(void **depend)
{
	SD_OMP_REAL(GOMP_taskwait_depend, void, (void **));

	if (sd_omp_strand.chain)
		__atomic_store_n(&sd_omp_strand.team->span.dependent, 1, __ATOMIC_RELAXED);
	real(depend);
}

/* ---- what one thread does alone -------------------------------------------------------------- */

SD_OMP_EXPORT bool GOMP_single_start(void);
SD_OMP_EXPORT bool GOMP_single_start(void)
{
	bool out;
	SD_OMP_REAL(GOMP_single_start, bool, (void));

	out = real();
	if (out && sd_omp_strand.chain)
		sd_omp_strand.chain->alone = true;
	return out;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static __thread struct sd_omp_pace pace;

static void after_lock(struct sd_omp_member *m, uint64_t since)
{
	if (since)
		m->lock += sd_omp_pace_after(&pace, m, since);
}

#define LOCK(name, parameters, types, ...)                                            \
	static void(*name##_real) types;                                              \
	__attribute__((noinline)) static void name##_timed parameters                 \
	{                                                                             \
		struct sd_omp_member *const m = sd_omp_member;                        \
		const uint64_t since = sd_omp_pace_before(&pace, m);                  \
		SD_OMP_REAL(name, void, types);                                       \
                                                                                      \
		__atomic_store_n(&name##_real, real, __ATOMIC_RELAXED);               \
		real(__VA_ARGS__);                                                    \
		after_lock(m, since);                                                 \
	}                                                                             \
	SD_OMP_EXPORT void name parameters;                                           \
	SD_OMP_EXPORT void name parameters                                            \
	{                                                                             \
		if (sd_omp_pace_passes(&pace) && name##_real)                         \
			__atomic_load_n(&name##_real, __ATOMIC_RELAXED)(__VA_ARGS__); \
		else                                                                  \
			name##_timed(__VA_ARGS__);                                    \
	}
LOCK(GOMP_critical_start, (void), (void))
LOCK(GOMP_critical_name_start, (void **name), (void **), name)
LOCK(GOMP_atomic_start, (void), (void))
LOCK(GOMP_ordered_start, (void), (void))
LOCK(omp_set_lock, (void *lock), (void *), lock)
LOCK(omp_set_nest_lock, (void *lock), (void *), lock)
