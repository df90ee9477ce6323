/*
 * Where the time of a timeline went, exactly: what ran, waited and was ready, how many at once,
 * what the idle cores were (idle_account.h, with every switch for a poll), and which stack each
 * idle core is charged to.
 *
 * - A core that idles while others run is charged to them in equal parts (idleness blame,
 *   HPCToolkit); the part of a thread goes to the stack of its next sample at a time when cores
 *   idle for the same reason: the next of all would often be of another phase, where phases are
 *   shorter than the time between two samples.
 * - A core that idles because threads wait for a lock is charged to who holds it: who ends the next
 *   wait there (lock_owners.h). It goes to the stacks of the holder's samples while somebody waits.
 * - Who waits for a message waits for the work of the one that sends it, at a pipe and, where that
 *   is a thread of the program, at a socket. Where that one itself only sleeps or waits for the
 *   world outside, so does who waits for it: no work of the program's keeps either
 * (message_senders.h).
 * - What spins hides who is waited for; it is charged to the threads that do useful work meanwhile:
 *   at the same moment where clocks tick together (joint_samples.h), else as they were last
 * sampled. Of phases too short for that the totals of the run say whether one thread had code of
 * its own meanwhile (work_shares.h).
 */
#ifndef SD_BLAME_H
#define SD_BLAME_H

#include "attribute/message_senders.h"
#include "attribute/lock_owners.h"
#include "attribute/idle_account.h"
#include "attribute/work_shares.h"
#include "record/run.h"
#include "attribute/serial_paths.h"
#include "attribute/joint_samples.h"
#include "attribute/gap_weights.h"
#include "trace/timeline.h"
#include "attribute/concurrent_code.h"
#include "attribute/stack_times.h"

struct sd_charges_thread;
struct sd_charges_place;

#define SD_BLAME_CASES                                                           \
	1024 /* of one runner and what the others wait for; later ones share one \
	      */

struct sd_blame {
	const struct sd_timeline *timeline;
	struct sd_lock_owners *contended; /* owned; one a place */
	unsigned *answers;                /* owned; message_senders.h */
	struct sd_idle_account division;
	/* the living threads, tid rising, and their views in the same order */
	struct sd_charges_thread **living; /* owned */
	size_t room;
	struct sd_thread_views views; /* its array is owned */
	struct sd_same_code codes;
	struct sd_stack_times uses;
	struct sd_charges_thread *thread; /* owned; one a thread of the timeline */
	struct sd_charges_place *place;   /* owned; one a place */
	struct sd_lone_runner_case *solo; /* owned; SD_BLAME_CASES of them */
	struct sd_stack_times *solo_use;  /* owned; of each case, its stacks' blame */
	size_t n_solo;
	/* The time, and the time that what was seen until then stands for: the same where every
	 * switch was recorded (gap_weights.h). What is summed up is in the second. */
	uint64_t now, stood;
	struct sd_gap_weights standing;
	struct sd_joint_samples snapshot; /* where clocks tick together */
	struct sd_joint_samples_sums sums;
	struct sd_concurrent_code twins;
	struct sd_serial_paths paths;
	struct sd_work_shares teamwork; /* where clocks tick together */
	/* s spun while one did work that others also do, by the snapshots for serial code; and what
	 * they did not find of that, by the totals */
	double late, moved;
	/* Shares of the spinning beside late peers and beside one's serial code that are known to
	 * be for these: that in waits longer than the time between two samples. Of the others
	 * nobody knows what ran meanwhile. Where clocks tick together that is known, and what was
	 * spun for serial code is; but of peers that meet this often it is the meeting that costs,
	 * and not that one of them came late, unless it is late most times by the totals. */
	double seen_late, seen_serial;
	double ran; /* s in which any thread ran */
	/* s that threads were alive in all, and by what stands for all of it; of the latter, s that
	 * they were not on a CPU */
	double alive, off;
	double waits_by; /* what waits are to be multiplied with: sd_blame_correct() */
	int failed;      /* -errno */
};

/* 0 or -ENOMEM; *c is to be freed in either case. `cores` is the run's N; the timeline's nodes are
 * of `stacks`, NULL unknown. */
int sd_blame_make(struct sd_blame *c, const struct sd_timeline *t, const struct sd_stacks *stacks,
	double cores);

/*
 * Where windows stand for all of the run: what threads did not run they waited, and how long they
 * lived and how much CPU time they had (`cpu_s`) is known exactly. Waits are multiplied with that
 * ratio (a ratio estimate), so that all of them together are right.
 */
void sd_blame_correct(struct sd_blame *c, double cpu_s);

/* Rows, locks and bottles of *out; *stacks, which the timeline's nodes are of, gets those of rows
 * that are cut (stack_times.h). 0 or -ENOMEM. */
int sd_blame_rows(const struct sd_blame *c, struct sd_stacks *stacks, struct sd_sampled *out);

/* The account of idle cores, core-s; throttled time is not known here. */
void sd_blame_idle(const struct sd_blame *c, double idle[SD_IDLE_COUNT]);

void sd_blame_free(struct sd_blame *c); /* accepts the zeroed value */

#endif
