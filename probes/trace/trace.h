/*
 * What perf_event_open tells about a whole process tree from before its first exec: samples of the
 * instruction pointer by the CPU clock, every context switch with the stack that waited, wake-ups,
 * mappings, forks and exits. Recorded while the program runs, given back in the order of time when
 * it has ended.
 */
#ifndef SD_TRACE_H
#define SD_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "base/status.h"
#include "trace/event.h"

struct sd_trace_options {
	pid_t pid; /* waits before its exec; its children inherit */
	const struct sd_cpulist
		*cpus;   /* that it is bound to; its threads may still run elsewhere */
	double hz;       /* samples a second and CPU wished for; 0 = 401 */
	double expect_s; /* how long a run is thought to take; 0 unknown */
	uint64_t
		bytes; /* bound of the data of a run; the rate is lowered to keep it; 0 = 128 MiB */
	const char *keep; /* file that the raw data stay in (--keep-samples); NULL: none */
};

/* What came of it; statuses say why something is not there. switch_stacks denied: threads were
 * looked at while they waited, a few at each drain (SD_EVENT_SEEN); multiplexed: some
 * switches are without a stack, of those that were too many a second or near the bound; all have
 * their time. */
struct sd_trace_facts {
	enum sd_status samples, switches, switch_stacks, kernel, wakes;
	double hz; /* in the end */
	uint64_t n_samples, n_switches, n_lost;
	uint64_t bytes;
	unsigned cpus_covered, cpus_wanted; /* fewer where memory or files ran out */
	int together; /* the clocks of all CPUs tick within a quarter of their period */
	int thinned;  /* once stopped: not all samples had room, and those kept may be of other
			 moments on every CPU */
	double cpu_s; /* CPU time of draining and looking */
	double strangers_s; /* s that others ran on the covered CPUs, less what the kernel's threads
			       did for the tree; valid with `together` and without SD_EVENT_SHUT */
};

struct sd_capture;

/*
 * 0; -EACCES or -EPERM: perf_event_open is denied; -ENOSYS, -EOPNOTSUPP: no such call; -ENOMEM;
 * -EMFILE. What is denied in part (no stacks at switches, no kernel) is a fact, not an error.
 */
int sd_trace_open(struct sd_capture **out, const struct sd_trace_options *options);

/* Empties the ring buffers before they are full; to be called every `delay` ns that it returns.
 * Never blocks. */
uint64_t sd_trace_drain(struct sd_capture *c, uint64_t now_ns);

/* The program has ended: no more events; the ring buffers are emptied and closed. */
void sd_trace_stop(struct sd_capture *c);

/* After that: an event of who records, behind all others. 0 or -ENOMEM. */
int sd_trace_note(struct sd_capture *c, const struct sd_event *e);

/* Writes the file to keep, when there is to be one. 0 or -errno: it is then not there; the events
 * are. */
int sd_trace_keep(const struct sd_capture *c);

/*
 * Every event once, in the order of time. `each` returns 0 to go on, anything else ends the replay
 * and is returned. Records of wrong sizes are skipped and counted as lost. May be called again.
 */
int sd_trace_replay(
	struct sd_capture *c, int (*each)(void *ctx, const struct sd_event *event), void *ctx);

void sd_trace_facts(const struct sd_capture *c, struct sd_trace_facts *out);
void sd_trace_close(struct sd_capture *c); /* accepts NULL */

#endif
