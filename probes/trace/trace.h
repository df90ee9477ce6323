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

/* User registers of a sample, as perf numbers them (asm/perf_regs.h); bit i of `mask`: reg[i] is
 * there. No bit: the thread was in the kernel without a user side, or the kernel gave none. */
#define SD_TRACE_REGS 64
struct sd_regs {
	uint64_t mask;
	uint64_t reg[SD_TRACE_REGS];
};

enum sd_event_kind {
	SD_EVENT_SAMPLE,     /* a thread ran here */
	SD_EVENT_SWITCH_OUT, /* it left its CPU, from here */
	SD_EVENT_SWITCH_IN,  /* it is on a CPU again */
	SD_EVENT_WAKE,       /* thread `tid` made `other` ready to run; 0: an interrupt did */
	SD_EVENT_MAP,        /* executable code appeared in pid's address space */
	SD_EVENT_EXEC,       /* pid's address space is a new one */
	SD_EVENT_FORK, /* pid, tid: the new thread or process; `other`: of the parent process */
	SD_EVENT_EXIT, /* of a thread */
	SD_EVENT_NAME, /* comm */
	SD_EVENT_LOST, /* `count` events are missing here */
	SD_EVENT_SEEN, /* it waits, from here: of a wait whose SWITCH_OUT has no stack */
	/* from here on switches and wake-ups are not recorded (some may be still), being too many;
	 * and from here on all are again */
	SD_EVENT_SHUT,
	SD_EVENT_OPEN,
};

struct sd_event {
	enum sd_event_kind kind;
	int pid, tid, other;
	unsigned cpu;
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	/* of SAMPLE, SWITCH_OUT and SEEN */
	uint64_t weight;       /* ns of running that this sample stands for; 0 for a switch */
	uint64_t ip;           /* where it was, user or kernel */
	int kernel;            /* ip is the kernel's */
	int preempted;         /* of SWITCH_OUT: it was still ready to run */
	const uint64_t *chain; /* kernel addresses, leaf first; borrowed */
	size_t n_chain;
	/* user addresses as frame pointers lead to them, leaf first: right only where code keeps
	 * them, but they also lead from one stack to another; behind those of the kernel */
	const uint64_t *pointed;
	size_t n_pointed;
	struct sd_regs regs;
	const unsigned char *stack; /* copy of the user stack from its stack pointer up; borrowed */
	size_t stack_size;
	uint64_t stack_at; /* address of its first byte; 0 = the stack pointer of regs */
	/* of MAP: file contents [offset, offset + size) stand at address; of NAME and SEEN: `name`
	 * alone, of SEEN the kernel function it sleeps in, "" unknown */
	uint64_t address, size, offset;
	uint32_t major, minor;
	uint64_t inode;
	unsigned char build_id[20];
	size_t n_build_id; /* 0 unknown */
	const char *name;  /* path or comm; borrowed, any bytes */
	uint64_t count;
};

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

/* The program has ended: no more events; the ring buffers are emptied and closed. 0, or the -errno
 * of writing the file to keep, which is then not there; the events are. */
int sd_trace_stop(struct sd_capture *c);

/*
 * Every event once, in the order of time. `each` returns 0 to go on, anything else ends the replay
 * and is returned. Records of wrong sizes are skipped and counted as lost. May be called again.
 */
int sd_trace_replay(
	struct sd_capture *c, int (*each)(void *ctx, const struct sd_event *event), void *ctx);

void sd_trace_facts(const struct sd_capture *c, struct sd_trace_facts *out);
void sd_trace_close(struct sd_capture *c); /* accepts NULL */

#endif
