/*
 * Divides the cores that did not run the program among classes (METHODS 2.3.1).
 */
#ifndef SD_IDLE_CLASSES_H
#define SD_IDLE_CLASSES_H

#include "trace/thread_view.h"
#include "record/run.h"
#include "trace/wait.h"

/* The state of the tree: numbers of threads at one moment, or their means over an interval. */
struct sd_idle_classes_sample {
	double cores;     /* N */
	double running;   /* threads on a CPU */
	double runnable;  /* ready, but not on a CPU */
	double throttled; /* those of them held back by the cgroup's quota */
	double waiting[SD_WAIT_COUNT];
	double runners; /* threads running or ready while cores were idle; 0: running + runnable */
	double peak;    /* most threads running or runnable at once so far in this run */
	double lasted;  /* s this state lasted; 0 unknown, or not one state */
};

/*
 * out[] sums to max(0, N - running), without negative parts. In this order:
 *
 * 1. throttled, then runnable threads.
 * 2. If nothing runs or could, the first of the waits by rank (core_time.h) that any thread is in
 *    gets everything; without one it is unknown. Peers that wait for each other rank among these
 *    only for as long as a wake-up takes: one of them has been woken and is about to run.
 * 3. Threads that wait for a lock, the disk or a lock of the kernel get a core each, in proportion
 *    if there are more of them than idle cores. Without that wait they would run now.
 * 4. Likewise threads that wait for a peer (barrier, condition, pipe). They come later because the
 *    peer may be a thread of 3.
 * 5. Likewise timers, sockets, tasks and unknown waits. They come last because a program's service
 *    threads wait there all the time, which explains nothing.
 * 6. No thread could use the rest (nor could a joining thread). With one runner it is serial code.
 *    With more it is imbalance up to the number of threads there were before, since peers have
 *    ended earlier, and serial beyond that: the program never had more threads.
 *
 * Waiting for a peer is imbalance if two or more run. If one runs it counts as serial here;
 * lone_runner.h decides whether that one is a late peer.
 */
void sd_idle_classes_allocate(
	const struct sd_idle_classes_sample *sample, double out[SD_IDLE_COUNT]);

/* Moves the core-s that the cgroup reports as throttled from runnable to throttled: everywhere else
 * in /proc a throttled thread looks runnable. */
void sd_idle_classes_throttle(double idle[SD_IDLE_COUNT], double throttled);

/*
 * Helpers: threads with less than 5 % of the busiest thread's CPU time `busiest`, such as parents
 * that read their child's pipe, monitors with a timer, acceptors, a first thread that waits for the
 * others' end (METHODS 2.3.1).
 */
int sd_idle_classes_serves(double busiest, const struct sd_thread_view *t);

/* Does this thread of a service stand by? It waited for its peers before it was watched and hardly
 * ran since, as one for background jobs does. Nobody is late for it. */
int sd_idle_classes_stands_by(double busiest, const struct sd_thread_view *t);

/* Its class of wait while nothing runs: a thread that stands by counts as joining. */
enum sd_wait sd_idle_classes_told(
	double busiest, const struct sd_thread_view *t, enum sd_wait wait);

/*
 * While others run, a waiting helper does not explain an idle core: like a joining thread it wants
 * none.
 */
enum sd_wait sd_idle_classes_wanted(
	double busiest, const struct sd_thread_view *t, enum sd_wait wait);

/*
 * Threads that are counted without being looked at: of views that have `active`, those that have
 * waited, or were ready, for a step at least, and that is all there is to them until they are
 * unparked, before anything of them changes. A step then takes as long as the list of threads that
 * do something, however many wait.
 */
struct sd_idle_classes_parked {
	double ready;
	double told[SD_WAIT_COUNT], wanted[SD_WAIT_COUNT]; /* by what their waits count as */
	double flips; /* of the busiest thread's time, from which that may change for one of them;
			 0 none */
};

void sd_idle_classes_park(
	struct sd_idle_classes_parked *p, double busiest, struct sd_thread_view *t);
void sd_idle_classes_unpark(struct sd_idle_classes_parked *p, struct sd_thread_view *t);

/* The busiest thread may have become so busy that some of them are helpers. */
void sd_idle_classes_recount(
	struct sd_idle_classes_parked *p, double busiest, const struct sd_thread_views *all);

#endif
