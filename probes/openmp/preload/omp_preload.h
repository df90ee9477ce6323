/*
 * The library preloaded into OpenMP programs. With GCC's it stands between the program and libgomp:
 * each function of the same name is called in its place, notes when, and calls libgomp's. LLVM's
 * runtime calls back (omp_ompt.c).
 */
#ifndef SD_OMP_PRELOAD_H
#define SD_OMP_PRELOAD_H

#include <stdint.h>
#include <time.h>

#include "trace/omp_span.h"
#include "trace/omp_log.h"

#define SD_OMP_EXPORT __attribute__((visibility("default")))

/* A region that is entered, on the stack of the thread that enters it. Sums are of its threads. */
struct sd_omp_team {
	void *first; /* what libgomp looks for in a region's data, when it has reductions */
	void (*fn)(void *data);
	void *data;
	struct sd_omp_team *around; /* the region from inside of which it is entered */
	struct sd_omp_region *row;
	uint64_t entered;
	/* threads may be at two barriers at once, when one has left what another has not: the last
	 * arrival at each of two in turn */
	uint64_t arrival[2];
	uint64_t last;         /* the last end of a thread, or of a task after it */
	uint64_t began, ended; /* sums over its threads, since `entered` */
	uint64_t late_tasks;   /* ns of tasks run by threads that had ended */
	uint64_t imbalance, barrier, lock, scheduling, tasks, whole, calls;
	uint32_t threads;
	uint32_t follows; /* 0: chains of its tasks are not followed */
	uint64_t work;    /* ns of CPU time of its threads */
	struct sd_omp_region_span span;
};

/* A thread in its team. */
struct sd_omp_member {
	struct sd_omp_team *team;
	uint64_t imbalance, barrier, lock, scheduling, tasks, whole, calls;
	uint64_t in_tasks; /* ns of tasks that it has run so far */
	unsigned barriers;
	int at_barrier;
};
extern __thread struct sd_omp_member *sd_omp_member;

static inline uint64_t sd_omp_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void sd_omp_add(uint64_t *sum, uint64_t more)
{
	if (more)
		__atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

static inline void sd_omp_later(uint64_t *last, uint64_t now)
{
	uint64_t was = __atomic_load_n(last, __ATOMIC_RELAXED);

	while (was < now && !__atomic_compare_exchange_n(
				    last, &was, now, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* libgomp's function of that name, which ours stands in front of. Ends the program when there is
 * none: it could not have called it. */
void *sd_omp_next(const char *name);

/* In each wrapper: `real` is libgomp's function, looked for once. */
#define SD_OMP_REAL(name, result, types) \
	static result(*real) types;      \
	if (__builtin_expect(!real, 0))  \
	*(void **)(&real) = sd_omp_next(#name)

/* The row of a region; NULL: nothing is noted. Opens the log when it is the first. */
struct sd_omp_region *sd_omp_log_row(void (*fn)(void *data));

/* All threads of the team have ended, and the calling one leaves: its sums go to the row. */
void sd_omp_leave_team(const struct sd_omp_team *t);

/* 1: this way notes the regions; a program that comes by both ways would have them twice. */
extern int sd_omp_by_gomp, sd_omp_by_ompt;

/* A region without another around it begins and ends: what of the process's time was before it. */
uint64_t sd_omp_log_begins(uint64_t now);
void sd_omp_log_ends(uint64_t now);

/*
 * The calling thread comes to a barrier of its team, and leaves it. Until the last one's arrival,
 * or the end of the last task that a thread does meanwhile, it waits for others; what comes after
 * that is the barrier's own cost.
 */
struct sd_omp_arrival {
	uint64_t at, tasks;
};
struct sd_omp_arrival sd_omp_arrive(struct sd_omp_member *m);
void sd_omp_leave(struct sd_omp_member *m, const struct sd_omp_arrival *a);

#endif
