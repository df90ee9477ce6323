/*
 * The experiments: run the program again with one thing changed, so that the effect on its time is
 * known and not guessed (METHODS 2.3). In the order they are tried, the most discriminating first.
 */
#ifndef SD_EXPERIMENT_H
#define SD_EXPERIMENT_H

#include <stddef.h>

#include "record/cause.h"

/* Where it is done: at the reference, at the largest point, or at both if the change has an effect
 * on one core too. */
enum sd_experiment_at {
	SD_EXPERIMENT_AT_REFERENCE,
	SD_EXPERIMENT_AT_LARGEST,
	SD_EXPERIMENT_AT_BOTH
};

/* identifier; name; where; duration of a changed run, in plain runs of the same point; what
 * is done */
#define SD_EXPERIMENTS(X)                                                                            \
	X(REPLICAS, "replicas", AT_REFERENCE, 1.5,                                                   \
		"independent copies, one on each core, all at once, against one alone")              \
	X(ADD_LOOP, "add-loop", AT_LARGEST, 0,                                                       \
		"a chain of additions on one core and on all of them: the clock, without "           \
		"the program")                                                                       \
	X(PASSIVE_WAIT, "passive-wait", AT_LARGEST, 1,                                               \
		"threads that wait sleep at once: OMP_WAIT_POLICY=passive, "                         \
		"GOMP_SPINCOUNT=0, KMP_BLOCKTIME=0")                                                 \
	X(BANDWIDTH_THIEF, "bandwidth-thief", AT_REFERENCE, 1.5,                                     \
		"a stream of stores that pass by the caches, on the cores the program does not use") \
	X(CACHE_THIEF, "cache-thief", AT_REFERENCE, 1.5,                                             \
		"the other cores' share of the shared cache is walked over and over, on "            \
		"the cores the program does not use")                                                \
	X(PADDING, "padding", AT_LARGEST, 1,                                                         \
		"every allocation gets 128-byte blocks of its own (scalediag-pad.so)")               \
	X(ONE_ARENA, "one-arena", AT_LARGEST, 1.2,                                                   \
		"all threads allocate from one arena (glibc.malloc.arena_max=1, no thread caches)")  \
	X(ALLOCATOR, "allocator", AT_BOTH, 1, "another allocator, preloaded")                        \
	X(HUGE_PAGES, "huge-pages", AT_BOTH, 1, "huge pages for malloc (glibc.malloc.hugetlb=1)")    \
	X(BASE_PAGES, "base-pages", AT_BOTH, 1.2,                                                    \
		"no huge pages for the program (PR_SET_THP_DISABLE)")                                \
	X(SPREAD, "spread", AT_LARGEST, 1,                                                           \
		"as many threads, in the other placement: spread over caches and sockets, "          \
		"or packed")                                                                         \
	X(SIBLINGS, "siblings", AT_LARGEST, 1.5,                                                     \
		"as many threads, two on a core, against one on a core")                             \
	X(INTERLEAVE, "interleave", AT_LARGEST, 1, "memory interleaved over all nodes")              \
	X(PREFETCHERS, "prefetchers", AT_BOTH, 2,                                                    \
		"the hardware prefetchers of its cores are off (as root; surely on again "           \
		"after each run)")                                                                   \
	X(WARM_CACHE, "warm-cache", AT_LARGEST, 1,                                                   \
		"the files it reads are read into the page cache before it starts")                  \
	X(SOFTWARE_PMU, "software-pmu", AT_BOTH, 25,                                                 \
		"one run of each under the software PMU, which models the caches and counts "        \
		"(QEMU; 20 to 60 times as slow)")

enum sd_experiment {
#define X(id, name, at, cost, does) SD_EXPERIMENT_##id,
	SD_EXPERIMENTS(X)
#undef X
		SD_EXPERIMENT_COUNT
};

/* A side of what is known of a cause: cores that it has at least, or at most. */
#define SD_BOUND_LOWER 1u
#define SD_BOUND_UPPER 2u

/* What to expect if this is the cause. */
struct sd_prediction {
	enum sd_cause cause;
	unsigned sides; /* SD_BOUND_*: what seeing it, or not, can move */
	const char *says;
};

#define SD_PREDICTIONS 12
struct sd_experiment_info {
	const char *name, *does;
	enum sd_experiment_at at;
	double cost;
};
extern const struct sd_experiment_info sd_experiment_info[SD_EXPERIMENT_COUNT];

/* Each row ends at `says` NULL. */
extern const struct sd_prediction sd_experiment_prediction[SD_EXPERIMENT_COUNT][SD_PREDICTIONS];

/* 0 and *out, or -EINVAL. */
int sd_experiment_parse(const char *name, enum sd_experiment *out);

/* Pairs at a point: the minimum, and the maximum if their interval remains too wide. */
#define SD_EXPERIMENT_PAIRS 5u
#define SD_EXPERIMENT_PAIRS_MOST 10u

#endif
