/*
 * The experiments: run the program again with one thing changed, so that the effect on its time is
 * known and not guessed (METHODS 2.3). In the order they are tried, the most discriminating first.
 */
#ifndef SD_EXPERIMENT_H
#define SD_EXPERIMENT_H

#include <stddef.h>

#include "record/cause.h"

/* The points at which it is done: the reference, the largest, or both if the change has an effect
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
		"(QEMU; 5 to 20 times as slow; ended at three times what its CPU time makes of it)") \
	X(RACE_CHECK, "race-check", AT_LARGEST, 40,                                                  \
		"one run under Valgrind's Helgrind: accesses to the same bytes that nothing orders")

/*
 * The outcome to expect of an experiment if this is the cause, and the bound of the cause that
 * seeing it, or not, can move; NEITHER: it is evidence for a group of causes, and bounds none.
 */
/* clang-format off */
#define SD_EXPERIMENT_PREDICTIONS(P) \
	P(REPLICAS, MEMORY_BANDWIDTH, HARDWARE, "copies slow down as much as the cores of one program do") \
	P(REPLICAS, LLC_CAPACITY, HARDWARE, "copies slow down as much as the cores of one program do") \
	P(REPLICAS, SMT, HARDWARE, "copies slow down as much as the cores of one program do") \
	P(REPLICAS, BUS_LOCKS, HARDWARE, "copies slow down as much as the cores of one program do") \
	P(REPLICAS, FREQUENCY, HARDWARE, "copies slow down as much as the cores of one program do") \
	P(REPLICAS, FALSE_SHARING, UPPER, "copies, which share no data, run as fast as one alone") \
	P(REPLICAS, TRUE_SHARING, UPPER, "copies, which share no data, run as fast as one alone") \
	P(REPLICAS, SPINNING, UPPER, "copies, which share no data, run as fast as one alone") \
	P(REPLICAS, EXTRA_WORK, UPPER, "copies, which share no data, run as fast as one alone") \
	P(REPLICAS, BARRIER_OVERHEAD, UPPER, "copies, which share no data, run as fast as one alone") \
	P(REPLICAS, ALLOCATOR, UPPER, "copies, which share no data, run as fast as one alone") \
	P(ADD_LOOP, FREQUENCY, BOTH, "the additions become slower as the program does") \
	P(PASSIVE_WAIT, SPINNING, LOWER, "the CPU time falls") \
	P(PASSIVE_WAIT, BARRIER_OVERHEAD, LOWER, "the time grows: every wake-up costs") \
	P(BANDWIDTH_THIEF, MEMORY_BANDWIDTH, BOTH, "one core beside it slows down") \
	P(BANDWIDTH_THIEF, LLC_CAPACITY, UPPER, "one core beside it hardly slows down") \
	P(CACHE_THIEF, LLC_CAPACITY, BOTH, "one core beside it slows down") \
	P(CACHE_THIEF, MEMORY_BANDWIDTH, UPPER, "one core beside it hardly slows down") \
	P(PADDING, FALSE_SHARING, LOWER, "faster, when the lines are shared by neighbouring allocations") \
	P(ONE_ARENA, ALLOCATOR, UPPER, "slower; where it makes no difference, the threads do not meet in malloc") \
	P(ALLOCATOR, ALLOCATOR, BOTH, "many cores gain more than one") \
	P(HUGE_PAGES, DTLB, BOTH, "many cores gain more than one") \
	P(HUGE_PAGES, KERNEL_MEMORY, NEITHER, "fewer page faults, less kernel time") \
	P(BASE_PAGES, DTLB, UPPER, "slower; where it makes no difference, the page size does not matter") \
	P(SPREAD, FALSE_SHARING, NEITHER, "the farther the threads, the slower") \
	P(SPREAD, TRUE_SHARING, NEITHER, "the farther the threads, the slower") \
	P(SPREAD, LLC_CAPACITY, NEITHER, "the more caches, the faster") \
	P(SPREAD, MEMORY_BANDWIDTH, NEITHER, "the more sockets, the faster") \
	P(SIBLINGS, SMT, NEITHER, "slower by what the sibling takes") \
	P(INTERLEAVE, NUMA, BOTH, "faster: the memory was on one node") \
	P(PREFETCHERS, MEMORY_BANDWIDTH, NEITHER, "many cores gain: lines that nobody reads were fetched") \
	P(PREFETCHERS, LLC_CAPACITY, NEITHER, "many cores gain: such lines took room") \
	P(PREFETCHERS, FALSE_SHARING, NEITHER, "many cores gain: neighbouring lines were fetched along") \
	P(WARM_CACHE, DISK, LOWER, "faster, if it waits to read these files; as fast, if it waits to write") \
	P(RACE_CHECK, TRUE_SHARING, NEITHER, "threads access the same bytes, one of them writing, and nothing orders them") \
	P(SOFTWARE_PMU, FALSE_SHARING, BOTH, "lines move between cores of which threads write different bytes") \
	P(SOFTWARE_PMU, TRUE_SHARING, BOTH, "lines move between cores of which threads write the same bytes") \
	P(SOFTWARE_PMU, DTLB, BOTH, "more misses of the data TLB at many cores") \
	P(SOFTWARE_PMU, EXTRA_WORK, BOTH, "more instructions at many cores") \
	P(SOFTWARE_PMU, LLC_CAPACITY, UPPER, "more lines come from memory at many cores") \
	P(SOFTWARE_PMU, MEMORY_BANDWIDTH, UPPER, "the lines from memory fill the bandwidth there is")
/* clang-format on */

enum sd_experiment {
#define X(id, name, at, cost, does) SD_EXPERIMENT_##id,
	SD_EXPERIMENTS(X)
#undef X
		SD_EXPERIMENT_COUNT
};

/* A side of what is known of a cause: cores that it has at least, or at most. */
#define SD_BOUND_NEITHER 0u
#define SD_BOUND_LOWER 1u
#define SD_BOUND_UPPER 2u
/* At most, and it is of hardware that copies share as well: these slow each other down if it is. */
#define SD_BOUND_HARDWARE (SD_BOUND_UPPER | 4u)
#define SD_BOUND_BOTH (SD_BOUND_LOWER | SD_BOUND_UPPER)

/* The outcome to expect if this is the cause. */
struct sd_prediction {
	enum sd_experiment of;
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

/* Those of one experiment, in the order of the table, up to a row that is not `of` it. */
const struct sd_prediction *sd_experiment_predictions(enum sd_experiment e);

/* Those that can move one of these sides (SD_BOUND_*) of what is known of the cause, a bit each. */
unsigned long sd_experiment_moving(enum sd_cause cause, unsigned sides);

/* 0 and *out, or -EINVAL. */
int sd_experiment_parse(const char *name, enum sd_experiment *out);

/* Pairs at a point: the minimum, and the maximum if their interval remains too wide. */
#define SD_EXPERIMENT_PAIRS 5u
#define SD_EXPERIMENT_PAIRS_MOST 10u

/*
 * Steps of a diagnosis that are no experiment: what each adds to a run of the program, and which
 * bounds of which causes it can move.
 */

/* identifier; name in records; what it adds, in words after "by" */
#define SD_LOOKS(X)                                                       \
	X(TIMES, "times", "")                                             \
	X(COUNTS, "counts", "counters that a formula lacks")              \
	X(WATCH, "watch", "watchpoints on lines whose writer nobody saw") \
	X(BURST, "burst", "loads and stores that the counters sample")

/* Counters move what their formula's component holds (next_passes.h), times the loss. */
#define SD_LOOK_MOVES(P)              \
	P(WATCH, FALSE_SHARING, BOTH) \
	P(WATCH, TRUE_SHARING, BOTH)  \
	P(BURST, FALSE_SHARING, BOTH) \
	P(BURST, TRUE_SHARING, BOTH)

enum sd_look {
#define X(id, name, words) SD_LOOK_##id,
	SD_LOOKS(X)
#undef X
		SD_LOOK_COUNT
};

extern const char *const sd_look_name[SD_LOOK_COUNT], *const sd_look_words[SD_LOOK_COUNT];

struct sd_look_move {
	enum sd_look of;
	enum sd_cause cause;
	unsigned sides; /* SD_BOUND_* */
};

extern const struct sd_look_move sd_look_move[];
extern const size_t sd_look_moves;

#endif
