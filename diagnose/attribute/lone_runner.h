/*
 * One thread ran while the others waited: was it serial code, or a late peer of a parallel part?
 *
 * To the scheduler both look the same: one runner, idle others. The runner's role distinguishes
 * them.
 *
 * - A worker (not the first thread of its process) that ran together with others since its last
 *   wait is the last of them to finish: imbalance. One that never did is serial code in a thread
 *   (std::async, a runtime whose main program is not the first thread).
 * - A thread that at some time waits at the address where the others wait now is their peer at a
 *   barrier: imbalance.
 * - The first thread of a process whose workers wait where it never does is the master outside its
 *   parallel parts, and the workers' address is the dock they start from (libgomp, pools with a
 *   condition variable): serial. A barrier at which the master always arrives last looks the same.
 *   For libgomp the words around the futex decide (libgomp_barrier.h); otherwise it counts as
 *   serial.
 * - The first thread of a process in which nobody waits: other processes may be its peers, as for a
 *   worker. Its own threads that have ended may have been peers, and it the late one; but serial
 *   code behind a parallel part looks the same, and is what is usual: serial. Children of it that
 *   wait at pipes wait for what it has to give them: serial as well.
 * - The last cases are imbalance after all if the runner's samples show the same code that it ran
 *   beside its threads (same_code.h). Not beside workers that wait for a condition variable: they
 *   wait for work, and a master that is slow to produce it is serial code.
 *
 * Peers that all wait at one address, with only one of them running at a time but not always the
 * same, take turns. That is mutual exclusion by a semaphore or a condition variable (Python's
 * interpreter lock), and booked as a lock. At a barrier they run together up to the first arrival,
 * even with exponentially distributed shares for half as long as one then runs alone.
 *
 * "Ran together" requires 5 % of the time since then (the smallest share that causes are named
 * for): threads that overlap by accident when created are not peers.
 */
#ifndef SD_LONE_RUNNER_H
#define SD_LONE_RUNNER_H

#include <stddef.h>
#include <stdint.h>

#include "record/run.h"
#include "trace/wait.h"

/* Verdict of the samples on a first thread that ran beside its own threads. */
enum sd_lone_runner_code {
	SD_LONE_RUNNER_NONE,      /* not asked */
	SD_LONE_RUNNER_ALIKE,     /* it runs the code it ran beside them */
	SD_LONE_RUNNER_ELSEWHERE, /* it is not */
	SD_LONE_RUNNER_UNSEEN,    /* no sample at this moment: as its other samples say */
};

/* The lone runner and the other threads of its process. */
struct sd_lone_runner_case {
	int pid, tid;
	uint64_t address; /* where most of those waiting for a peer wait; 0 nobody does */
	enum sd_libgomp_barrier gomp; /* what libgomp's words say about `address` */
	int feeds;                    /* child processes wait at pipes */
	int overlapped;               /* ran together with others since it last waited */
	enum sd_lone_runner_code code;
};

struct sd_lone_runner_entry;
struct sd_lone_runner_wait;

/* Zeroed is empty. */
struct sd_lone_runner {
	struct sd_lone_runner_entry *entry; /* owned */
	size_t n_entry;
	struct sd_lone_runner_wait *wait; /* owned hash set */
	size_t n_wait, room_wait;
};

/* Adds `amount` core-s to the case. Out of memory, or with far too many cases, it is added as if
 * nobody had waited. */
void sd_lone_runner_book(
	struct sd_lone_runner *s, const struct sd_lone_runner_case *c, double amount);

/* Thread `tid` was seen waiting at a futex of its process `pid`. Forgotten if out of memory. */
void sd_lone_runner_waited(struct sd_lone_runner *s, int pid, int tid, uint64_t address);

/* Was it seen waiting there? */
int sd_lone_runner_has_waited(const struct sd_lone_runner *s, int pid, int tid, uint64_t address);

/* SD_IDLE_SERIAL or SD_IDLE_IMBALANCE; `waited` says that the runner waits there too. */
enum sd_idle sd_lone_runner_verdict(const struct sd_lone_runner_case *c, int waited);

/* Adds everything booked to idle[]. `together` is the time with more than one thread on a CPU,
 * relative to that with exactly one. */
void sd_lone_runner_resolve(
	const struct sd_lone_runner *s, double together, double idle[SD_IDLE_COUNT]);

/* Do peers take turns? sd_lone_runner_resolve() decides this first. */
int sd_lone_runner_turns(const struct sd_lone_runner *s, double together);

/* How one core-s of a case is divided; the rest of *share is 0. */
void sd_lone_runner_share(const struct sd_lone_runner *s, int turns,
	const struct sd_lone_runner_case *c, double share[SD_IDLE_COUNT]);

void sd_lone_runner_free(struct sd_lone_runner *s); /* accepts the zeroed value */

#endif
