/*
 * Attributes all time of a timeline: what ran, waited and was ready, how many threads at once, what
 * the idle cores were (idle_account.h, with every switch as a poll), and which call stack each idle
 * core is charged to.
 *
 * - An idle core is charged in equal parts to the threads that run (idleness blame, HPCToolkit). A
 *   thread's part goes to the stack of its next sample taken while cores idle for the same reason:
 *   if phases are shorter than the sampling period, its very next sample often shows another phase.
 * - A core that idles because threads wait for a lock is charged to its holder, the thread that
 *   ends the next wait there (lock_owners.h), at the stacks of the holder's samples while somebody
 *   waits.
 * - A thread that waits for a message, at a pipe or at a socket to another thread of the program,
 *   waits for the sender's work. If the sender sleeps by a timer or waits for the outside world, so
 *   does the receiver: no work of the program delays either.
 * - Spinning hides who is waited for. It is charged to the threads that do useful work meanwhile:
 *   at the same moment if the clocks tick together (joint_samples.h), else as last sampled. For
 *   phases too short for that, the run's totals tell whether one thread had code of its own
 *   meanwhile (work_shares.h).
 */
#ifndef SD_BLAME_H
#define SD_BLAME_H

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

struct sd_blame_thread;
struct sd_blame_place;

#define SD_BLAME_CASES                                                           \
	1024 /* of one runner and what the others wait for; later ones share one \
	      */

struct sd_blame {
	const struct sd_timeline *timeline;
	struct sd_lock_owners *contended; /* owned; one a place */
	unsigned *answers; /* owned; by moment of the timeline: 1 + who ended the wait */
	struct sd_idle_account division;
	/* the living threads, ascending by tid, and their views in the same order */
	struct sd_blame_thread **living; /* owned */
	size_t room;
	struct sd_thread_views views; /* its arrays are owned */
	/* those of them for which something may change, likewise; the others are parked */
	struct sd_blame_thread **active; /* owned */
	size_t parked_locks;             /* parked threads that wait for locks */
	/* s that each of these has waited, and core-s idle for it, since the beginning */
	double parked_wait, parked_idle;
	/* threads that did useful work in the last step, or would have if none had been displaced;
	 * and that spun for peers */
	double useful, spun;
	size_t displaced; /* threads that were at work when another got their CPU, and wait for it
			   */
	unsigned *waited; /* owned; places where somebody waits for a lock */
	size_t n_waited;
	struct sd_same_code codes;
	struct sd_stack_times uses;
	struct sd_blame_thread *thread;   /* owned; one a thread of the timeline */
	struct sd_blame_place *place;     /* owned; one a place */
	struct sd_lone_runner_case *solo; /* owned; SD_BLAME_CASES of them */
	struct sd_stack_times *solo_use;  /* owned; of each case, its stacks' blame */
	/* owned; of each case, core-s that no sample met, and where its runner was last seen */
	struct sd_blame_unmet {
		double amount;
		unsigned node;
		enum sd_activity activity;
	} * unmet;
	size_t n_solo;
	/* The current time, and the time represented by what was seen so far, equal if every switch
	 * was recorded (gap_weights.h). Sums use the second. */
	uint64_t now, stood;
	struct sd_gap_weights standing;
	struct sd_joint_samples snapshot; /* where clocks tick together */
	struct sd_joint_samples_sums sums;
	struct sd_concurrent_code twins;
	struct sd_serial_paths paths;
	struct sd_work_shares teamwork; /* where clocks tick together */
	/* s spun while one thread did work that others also do, which the snapshots took for serial
	 * code; and s of it that only the totals found */
	double late, moved;
	/* Shares of the spinning beside late peers and beside serial code that are surely for
	 * these, because the waits are longer than the sampling period; what ran during shorter
	 * waits is unknown. If clocks tick together it is known, and all spinning for serial code
	 * counts. But peers that meet this often pay for the meeting itself and not for a late
	 * peer, unless by the totals the same one is late most times. */
	double seen_late, seen_serial;
	double ran; /* s in which any thread ran */
	/* alive: total s that threads existed; off: s they were not on a CPU, by
	 * represented time */
	double alive, off;
	double waits_by; /* factor for waits, see sd_blame_correct() */
	int failed;      /* -errno */
};

/* 0 or -ENOMEM; *c must be freed in either case. `cores` is the run's N; `stacks` are those of the
 * timeline's nodes, NULL unknown. */
int sd_blame_make(struct sd_blame *c, const struct sd_timeline *t, const struct sd_stacks *stacks,
	double cores);

/*
 * For runs recorded in windows. The lifetimes of threads and their CPU time `cpu_s` are known
 * exactly, and so is their difference, the total time they waited. All waits are scaled to it (a
 * ratio estimate).
 */
void sd_blame_correct(struct sd_blame *c, double cpu_s);

/* Fills rows, locks and bottle graph of *out. Stacks of shortened rows (stack_times.h) are added to
 * *stacks, those of the timeline's nodes. 0 or -ENOMEM. */
int sd_blame_rows(const struct sd_blame *c, struct sd_stacks *stacks, struct sd_sampled *out);

/* The account of idle cores, core-s; throttled time is unknown here. */
void sd_blame_idle(const struct sd_blame *c, double idle[SD_IDLE_COUNT]);

void sd_blame_free(struct sd_blame *c); /* accepts the zeroed value */

#endif
