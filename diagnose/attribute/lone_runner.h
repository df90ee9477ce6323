/*
 * One thread ran and the others waited: was it serial code, or a late peer of a parallel part?
 *
 * The scheduler's view of both is the same: one runner, idle others. What tells them apart is the
 * runner's role.
 *
 * - A worker (not the first thread of its process) that ran together with others since it last
 *   waited for somebody is the last of them to finish: imbalance. One that never did is serial code
 *   that lives in a thread (std::async, a runtime whose main program is not the first thread).
 * - A thread that itself waits, sooner or later, at the address where the others wait now is their
 *   peer at a barrier: imbalance.
 * - The first thread of a process beside workers that wait where it never does is the master
 *   outside of its parallel parts, and the workers' address is the dock they start from (libgomp,
 *   pools with a condition variable): serial. A barrier at which the master always comes last looks
 *   the same; for libgomp the words around the futex decide (libgomp_barrier.h), and for others
 * this says serial.
 * - The first thread of a process with nobody waiting in it: other processes may be its peers, as
 *   for a worker. Threads of its own that have ended by then may have been, and it the late one;
 * but serial code behind a parallel part looks the same, and is what is usual: serial.
 *   Children of it that wait at pipes wait for what it has to give them: serial as well.
 * - The last cases are imbalance after all when the runner's samples say that it still runs the
 *   code it ran beside its threads (same_code.h). Not beside workers that wait for a condition
 * variable: they wait for work, and a master that is slow to produce it is serial code.
 *
 * Peers that all wait at one address and of which only one runs, now this and now that one, take
 * turns: that is mutual exclusion, by a semaphore or a condition variable (the interpreter lock of
 * Python), and booked as a lock. At a barrier they run together up to the first arrival, even if
 * their shares are as uneven as exponential ones: for half as long as one then runs alone.
 *
 * "Ran together" needs a twentieth of the time since then (the smallest share the project names
 * causes for): threads that overlap by an accident of creation are not peers.
 */
#ifndef SD_LONE_RUNNER_H
#define SD_LONE_RUNNER_H

#include <stddef.h>
#include <stdint.h>

#include "record/run.h"
#include "trace/wait.h"

/* What its samples say of a first thread that ran beside threads of its own. */
enum sd_lone_runner_code {
	SD_LONE_RUNNER_NONE,      /* not asked */
	SD_LONE_RUNNER_ALIKE,     /* it is in the code it ran beside them */
	SD_LONE_RUNNER_ELSEWHERE, /* it is not */
	SD_LONE_RUNNER_UNSEEN,    /* no sample at this moment: as its others say */
};

/* The one runner, and the others of its process. */
struct sd_lone_runner_case {
	int pid, tid;
	uint64_t address; /* where most of those that wait for a peer do; 0 nobody does */
	enum sd_libgomp_barrier gomp; /* what libgomp's words say about `address` */
	int feeds;                    /* children of its process wait at pipes */
	int overlapped;               /* ran together with others since it last waited */
	enum sd_lone_runner_code code;
};

struct sd_lone_runner_entry;
struct sd_lone_runner_wait;

/* Zeroed is empty. */
struct sd_lone_runner {
	struct sd_lone_runner_entry *entry; /* owned */
	size_t n_entry, room_entry;
	struct sd_lone_runner_wait *wait; /* owned hash set */
	size_t n_wait, room_wait;
};

/* Adds `amount` core-s to the case. When there is no memory or far too many cases, it is added as
 * if nobody had waited. */
void sd_lone_runner_book(
	struct sd_lone_runner *s, const struct sd_lone_runner_case *c, double amount);

/* Thread `tid` was seen waiting at a futex of its process `pid`. Dropped without memory. */
void sd_lone_runner_waited(struct sd_lone_runner *s, int pid, int tid, uint64_t address);

/* It was. */
int sd_lone_runner_has_waited(const struct sd_lone_runner *s, int pid, int tid, uint64_t address);

/* SD_IDLE_SERIAL or SD_IDLE_IMBALANCE; `waited` says that the runner waits there too. */
enum sd_idle sd_lone_runner_verdict(const struct sd_lone_runner_case *c, int waited);

/* Adds all that was booked to idle[]. `together` is the time with more than one thread on a CPU,
 * as a share of that with one alone. */
void sd_lone_runner_resolve(
	const struct sd_lone_runner *s, double together, double idle[SD_IDLE_COUNT]);

/* Whether peers take turns: what sd_lone_runner_resolve() decides first. */
int sd_lone_runner_turns(const struct sd_lone_runner *s, double together);

/* How one core-s of a case is divided; the rest of *share is 0. */
void sd_lone_runner_share(const struct sd_lone_runner *s, int turns,
	const struct sd_lone_runner_case *c, double share[SD_IDLE_COUNT]);

void sd_lone_runner_free(struct sd_lone_runner *s); /* accepts the zeroed value */

#endif
