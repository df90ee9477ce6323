/*
 * One event of a recorded run: what the kernel said of a thread at a time, with the registers and
 * the copy of the stack that lead to its callers.
 */
#ifndef SD_EVENT_H
#define SD_EVENT_H

#include <stddef.h>
#include <stdint.h>

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
	/* once the run is over, what is gone with the program and its kernel: the futex at
	 * `address` of pid is a barrier of libgomp, `count` (enum sd_libgomp_barrier) says which;
	 * and the run's end, with its first process and the kernel's boot id as `name` ("" unknown)
	 */
	SD_EVENT_BARRIER,
	SD_EVENT_END,
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

#endif
