#include "record/experiment.h"

#include <errno.h>
#include <string.h>

#define P(id, moved, text)                                             \
	{                                                              \
		.cause = SD_CAUSE_##id, .sides = (moved), .says = text \
	}
#define LOWER SD_BOUND_LOWER
#define UPPER SD_BOUND_UPPER
#define BOTH (LOWER | UPPER)
/* it is evidence for a group of causes, and bounds none of them */
#define NEITHER 0
#define HARDWARE(id) P(id, UPPER, "copies slow down as much as the cores of one program do")
#define SOFTWARE(id) P(id, UPPER, "copies, which share no data, run as fast as one alone")

const struct sd_prediction sd_experiment_prediction[SD_EXPERIMENT_COUNT][SD_PREDICTIONS] = {
	[SD_EXPERIMENT_REPLICAS] = {HARDWARE(MEMORY_BANDWIDTH), HARDWARE(LLC_CAPACITY),
		HARDWARE(SMT), HARDWARE(BUS_LOCKS), SOFTWARE(FALSE_SHARING), SOFTWARE(TRUE_SHARING),
		SOFTWARE(SPINNING), SOFTWARE(EXTRA_WORK), SOFTWARE(BARRIER_OVERHEAD),
		SOFTWARE(ALLOCATOR)},
	[SD_EXPERIMENT_ADD_LOOP] = {P(
		FREQUENCY, BOTH, "the additions become slower as the program does")},
	[SD_EXPERIMENT_PASSIVE_WAIT] = {P(SPINNING, BOTH, "the CPU time falls"),
		P(BARRIER_OVERHEAD, LOWER, "the time grows: every wake-up costs")},
	[SD_EXPERIMENT_BANDWIDTH_THIEF] = {P(MEMORY_BANDWIDTH, BOTH,
						   "one core beside it slows down"),
		P(LLC_CAPACITY, UPPER, "one core beside it hardly slows down")},
	[SD_EXPERIMENT_CACHE_THIEF] = {P(LLC_CAPACITY, BOTH, "one core beside it slows down"),
		P(MEMORY_BANDWIDTH, UPPER, "one core beside it hardly slows down")},
	[SD_EXPERIMENT_PADDING] = {P(FALSE_SHARING, LOWER,
		"faster, when the lines are shared by "
		"neighbouring allocations")},
	[SD_EXPERIMENT_ONE_ARENA] = {P(ALLOCATOR, UPPER,
		"slower; where it makes no difference, the "
		"threads do not meet in malloc")},
	[SD_EXPERIMENT_ALLOCATOR] = {P(ALLOCATOR, BOTH, "many cores gain more than one")},
	[SD_EXPERIMENT_HUGE_PAGES] = {P(DTLB, BOTH, "many cores gain more than one"),
		P(KERNEL_MEMORY, NEITHER, "fewer page faults, less kernel time")},
	[SD_EXPERIMENT_BASE_PAGES] = {P(DTLB, UPPER,
		"slower; where it makes no difference, the page size "
		"does not matter")},
	[SD_EXPERIMENT_SPREAD] = {P(FALSE_SHARING, NEITHER, "the farther the threads, the slower"),
		P(TRUE_SHARING, NEITHER, "the farther the threads, the slower"),
		P(LLC_CAPACITY, NEITHER, "the more caches, the faster"),
		P(MEMORY_BANDWIDTH, NEITHER, "the more sockets, the faster")},
	[SD_EXPERIMENT_SIBLINGS] = {P(SMT, BOTH, "slower by what the sibling takes")},
	[SD_EXPERIMENT_INTERLEAVE] = {P(NUMA, BOTH, "faster: the memory was on one node")},
	[SD_EXPERIMENT_PREFETCHERS] =
		{P(MEMORY_BANDWIDTH, NEITHER,
			 "many cores gain: lines that nobody reads were fetched"),
			P(LLC_CAPACITY, NEITHER, "many cores gain: such lines took room"),
			P(FALSE_SHARING, NEITHER,
				"many cores gain: neighbouring lines were fetched along")},
	[SD_EXPERIMENT_WARM_CACHE] = {P(DISK, LOWER,
		"faster, if it waits to read these files; as fast, "
		"if it waits to write")},
	[SD_EXPERIMENT_SOFTWARE_PMU] = {P(FALSE_SHARING, BOTH,
						"lines move between cores of which threads write "
						"different bytes"),
		P(TRUE_SHARING, BOTH,
			"lines move between cores of which threads write the same bytes"),
		P(DTLB, BOTH, "more misses of the data TLB at many cores"),
		P(EXTRA_WORK, BOTH, "more instructions at many cores"),
		P(LLC_CAPACITY, UPPER, "more lines come from memory at many cores"),
		P(MEMORY_BANDWIDTH, UPPER, "the lines from memory fill the bandwidth there is")},
};

const struct sd_experiment_info sd_experiment_info[SD_EXPERIMENT_COUNT] = {
#define X(id, n, where, c, d) \
	[SD_EXPERIMENT_##id] = {.name = n, .does = d, .at = SD_EXPERIMENT_##where, .cost = c},
	SD_EXPERIMENTS(X)
#undef X
};

int sd_experiment_parse(const char *name, enum sd_experiment *out)
{
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		if (name && strcmp(name, sd_experiment_info[i].name) == 0) {
			*out = (enum sd_experiment)i;
			return 0;
		}
	return -EINVAL;
}
