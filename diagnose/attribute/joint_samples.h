/*
 * Samples of all CPUs at one moment, if clocks tick together (timeline.h): which threads did useful
 * work, and which spun meanwhile. No state is carried from one sample to the next, an interval
 * longer than the phases of many programs. So phases down to some 100 us a CPU, the distance of the
 * ticks (trace.c), are resolved. For threads off their CPUs the result is exact: the switches tell
 * how many others were on one when a sample was taken.
 */
#ifndef SD_JOINT_SAMPLES_H
#define SD_JOINT_SAMPLES_H

#include "trace/timeline.h"
#include "attribute/concurrent_code.h"
#include "attribute/stack_times.h"

struct sd_joint_samples {
	uint64_t start; /* time of the first of them */
	struct sd_joint_samples_sample {
		unsigned thread, node;
		enum sd_activity activity;
		double seconds;
		long beside;
	} * sample; /* owned */
	size_t n, room;
};

/* Sums over snapshots, s: with exactly one useful thread; spun meanwhile; spun while more than one
 * was useful. */
struct sd_joint_samples_sums {
	double useful_alone, spun_serial, spun_imbalance;
};

/* Is this activity part of the work? Spinning is waiting, and so is the kernel's part of a wait:
 * going to sleep and waking others. */
int sd_joint_samples_works(enum sd_activity a);

/*
 * Adds a sample, in time order. `beside`: other threads on a CPU at that time, -1 unknown. If it
 * starts a new moment, the samples of the last one are booked: in the sums, in the rows of useful
 * samples (solo, spun_serial, spun_imbalance), and in the twins. 0 or -ENOMEM.
 */
int sd_joint_samples_add(struct sd_joint_samples *s, const struct sd_moment *m, long beside,
	struct sd_stack_times *uses, struct sd_concurrent_code *twins,
	struct sd_joint_samples_sums *sums);

/* Books the last ones. 0 or -ENOMEM. */
int sd_joint_samples_end(struct sd_joint_samples *s, struct sd_stack_times *uses,
	struct sd_concurrent_code *twins, struct sd_joint_samples_sums *sums);

void sd_joint_samples_free(struct sd_joint_samples *s); /* accepts {0} */

#endif
