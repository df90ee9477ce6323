/*
 * Where the cores went that did not run the program: the division of idle cores (METHODS 2.3).
 */
#ifndef SD_IDLE_CLASSES_H
#define SD_IDLE_CLASSES_H

#include "record/run.h"
#include "trace/wait.h"

/* The state of the tree at one moment, as numbers of threads; or over a time, as means of them. */
struct sd_idle_classes_sample {
	double cores;     /* N */
	double running;   /* threads on a CPU */
	double runnable;  /* ready, but not on a CPU */
	double throttled; /* of them, held back by the cgroup's quota */
	double waiting[SD_WAIT_COUNT];
	double runners; /* how many ran or were ready when cores were idle; 0: running + runnable */
	double peak;    /* most threads that ran or were runnable at once before, in this run */
	double lasted;  /* s that this was so; 0 unknown, or not one state all the time */
};

/*
 * out[] sums to max(0, N - running) and has no negative part. In this order:
 *
 * 1. throttled, then runnable threads.
 * 2. When nothing runs or could: the first of disk, lock, kernel, network, sleep that anything
 *    waits for has all of it; else it is unknown. But peers that wait for each other for no longer
 *    than a wake-up takes are waiting for just that: one has been woken, and its CPU is on its way.
 * 3. Threads that wait for a lock or the disk: a core each, in proportion to their numbers when
 *    there are more of them than idle cores. They would run now if it were not for that.
 * 4. The same for threads that wait for a peer (barrier, condition, pipe): it may be one of those
 *    of 3 that has to come first.
 * 5. The same for timers, sockets, tasks and what could not be read. They come last because
 *    service threads of a program wait there all the time and explain nothing.
 * 6. What is left has no thread that could use it (a joining thread could not either). With one
 *    runner it is serial code. With more: imbalance up to the number of threads that there were
 *    before, since peers have ended earlier; serial beyond it: the program never had more threads.
 *
 * Waiting for a peer is imbalance when two or more run. When one runs it is given as serial here;
 * whether the one is a late peer is for lone_runner.h to say.
 */
void sd_idle_classes_allocate(
	const struct sd_idle_classes_sample *sample, double out[SD_IDLE_COUNT]);

/* Moves what the cgroup says was throttled, core-s, from runnable to throttled: a throttled thread
 * is runnable to everything else in /proc. */
void sd_idle_classes_throttle(double idle[SD_IDLE_COUNT], double throttled);

#endif
