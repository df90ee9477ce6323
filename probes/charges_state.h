/*
 * What charges.c keeps of each thread and each place while it walks through a timeline.
 */
#ifndef SD_CHARGES_STATE_H
#define SD_CHARGES_STATE_H

#include "charges.h"

#define SD_CHARGES_PENDING 4

struct sd_charges_thread {
	struct sd_task task;
	int alive;
	/* the stack of its last sample or, before the first, of its last switch */
	unsigned node;
	enum sd_activity activity;
	int sampled;
	struct sd_twin twin;
	/* of its wait or of its waiting for a CPU */
	unsigned out_node;
	enum sd_activity out_activity;
	unsigned lock;               /* place + 1, while it waits for a lock */
	uint64_t since, since_stood; /* by both clocks */
	/* samples after another; of them those after spinning, and those that spin too */
	double pairs, spinning, both, spins;
	double run, height; /* s on a CPU; of it divided by how many ran */
	/* not charged to a stack yet: until its next sample */
	double solo, imbalance, other, spun_serial, spun_imbalance;
	struct {
		size_t solo; /* case */
		double amount;
	} serial[SD_CHARGES_PENDING];
	size_t n_serial;
};

struct sd_charges_place {
	size_t next; /* of contended.end: the first that is not over */
	unsigned waiting;
	uint64_t busy_since; /* by what stands for all */
	double busy, waits, wait_s, longest_s;
	double owed_wait, owed_idle; /* s, not charged to a stack yet */
	struct sd_uses holder, waiter;
};

#endif
