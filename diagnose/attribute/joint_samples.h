/*
 * Samples of all CPUs at one moment, where clocks tick together (timeline.h): who of them did
 * useful work, and who spun for it. No state has to be carried from one sample to the next, which
 * is long compared with the phases of many programs; so much is known of phases of some 100 us a
 * CPU, which is how far apart the clocks tick (trace.c). Of threads that left their CPUs it is
 * known exactly: the switches say how many others were on one when a sample was taken.
 */
#ifndef SD_JOINT_SAMPLES_H
#define SD_JOINT_SAMPLES_H

#include "trace/timeline.h"
#include "attribute/concurrent_code.h"
#include "attribute/stack_times.h"

struct sd_joint_samples {
	uint64_t start; /* of the first of them */
	struct sd_joint_samples_sample {
		unsigned node;
		enum sd_activity activity;
		double seconds;
		long beside;
	} * sample; /* owned */
	size_t n, room;
};

/* What snapshots said, in seconds: of exactly one useful thread; of threads that spun meanwhile,
 * and while more than one was useful. */
struct sd_joint_samples_sums {
	double useful_alone, spun_serial, spun_imbalance;
};

/* Does a sample of this do a part of the work? Spinning is waiting, and so is the kernel's share of
 * a wait: falling asleep and waking others. */
int sd_joint_samples_works(enum sd_activity a);

/*
 * Adds a sample, `m`; those in order of time. `beside`: other threads that were on a CPU just then,
 * -1 unknown. When it is of another moment than those before, these are booked: to the sums, to
 * rows of useful samples (solo, spun_serial, spun_imbalance), and to the twins. 0 or -ENOMEM.
 */
int sd_joint_samples_add(struct sd_joint_samples *s, const struct sd_moment *m, long beside,
	struct sd_stack_times *uses, struct sd_concurrent_code *twins,
	struct sd_joint_samples_sums *sums);

/* Books the last ones. 0 or -ENOMEM. */
int sd_joint_samples_end(struct sd_joint_samples *s, struct sd_stack_times *uses,
	struct sd_concurrent_code *twins, struct sd_joint_samples_sums *sums);

void sd_joint_samples_free(struct sd_joint_samples *s); /* accepts {0} */

#endif
