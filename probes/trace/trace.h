/*
 * Records a process tree with perf_event_open, from before its first exec or while it runs: samples
 * of the instruction pointer by the CPU clock, every context switch with the waiting stack,
 * wake-ups, mappings, forks and exits. Recorded while the program runs, replayed in time order
 * after it has ended.
 */
#ifndef SD_TRACE_H
#define SD_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "base/status.h"
#include "trace/event.h"
#include "trace/running.h"

struct sd_kept_recorders;

struct sd_trace_options {
	pid_t pid;                        /* waiting before its exec; its children are included */
	const struct sd_running *running; /* or these run already, and pid is one of them; NULL */
	const struct sd_cpulist *cpus; /* that it is bound to; its threads may still leave them */
	double hz;                     /* desired samples a second and CPU; 0 = 401 */
	double thin; /* so many times fewer samples, and switches of whole CPUs in one of so many
			parts of the time; 0 = 1: all */
	double expect_s; /* expected duration of the run; 0 unknown */
	uint32_t stack;  /* bytes of it that a sample copies, at most; 0: 8192 */
	uint64_t bytes;  /* limit for the data of a run, kept by lowering the rate; 0 = 128 MiB */
	struct sd_kept_recorders
		*kept;    /* where recorders stay for the next run; NULL: they do not */
	int programs;     /* in the kernel record switches, where it lets them */
	const char *keep; /* file to keep the raw data in (--keep-samples); NULL: none */
};

/* The facts of a recording; statuses say why something is missing. switch_stacks denied: threads
 * were inspected while waiting, a few at each drain (SD_EVENT_SEEN); multiplexed: some switches
 * lack a stack, as there were too many a second or the limit was near; all have their time. */
struct sd_trace_facts {
	enum sd_status samples, switches, switch_stacks, kernel, wakes;
	enum sd_status programs; /* in the kernel recorded the switches */
	double hz;               /* final rate */
	uint32_t stack_bytes;    /* of it that a sample copies */
	uint64_t n_samples, n_switches, n_lost;
	uint64_t bytes;
	unsigned cpus_covered, cpus_wanted; /* fewer if memory or descriptors ran out */
	int together;       /* the clocks of all CPUs tick within a quarter of a period */
	int thinned;        /* valid once stopped: not all samples had room, and those kept may show
			       different moments on different CPUs */
	double cpu_s;       /* CPU time of draining and inspecting */
	double strangers_s; /* s that others ran on the covered CPUs, without kernel threads working
			       for the tree; valid with `together` and without SD_EVENT_SHUT */
};

struct sd_capture;

/* The next size where a copy of `stack` bytes (0 as above) is too short for many; that one itself
 * where it is the largest that a record of the kernel's has room for. */
uint32_t sd_trace_longer(uint32_t stack);

/*
 * 0; -EACCES or -EPERM: perf_event_open is denied, or, of a program that runs already, may not
 * cover whole CPUs; -ENOSYS, -EOPNOTSUPP: no such call; -ENOMEM;
 * -EMFILE. Partial denial (no stacks at switches, no kernel) is a fact, not an error.
 */
int sd_trace_open(struct sd_capture **out, const struct sd_trace_options *options);

/* Empties the ring buffers before they fill up; returns the ns until it should be called again.
 * Never blocks. */
uint64_t sd_trace_drain(struct sd_capture *c, uint64_t now_ns);

/* The program has ended: empties and closes the ring buffers. */
void sd_trace_stop(struct sd_capture *c);

/* After opening, or after stopping: appends an event of the caller's own. 0 or -ENOMEM. */
int sd_trace_note(struct sd_capture *c, const struct sd_event *e);

/* Writes the file to keep, if one is wanted. 0, or -errno: there is no file, but the
 * events stay. */
int sd_trace_keep(const struct sd_capture *c);

/*
 * Calls `each` once for every event, in time order. A nonzero return value ends the replay and is
 * returned. Records of wrong size are skipped and counted as lost. May be called repeatedly.
 */
int sd_trace_replay(
	struct sd_capture *c, int (*each)(void *ctx, const struct sd_event *event), void *ctx);

void sd_trace_facts(const struct sd_capture *c, struct sd_trace_facts *out);
void sd_trace_close(struct sd_capture *c); /* accepts NULL */

#endif
