/*
 * One event of a recorded run: what the kernel reported about a thread at some time, with the
 * registers and stack copy needed to find its callers.
 */
#ifndef SD_EVENT_H
#define SD_EVENT_H

#include <stddef.h>
#include <stdint.h>

/* User registers of a sample, numbered as by perf (asm/perf_regs.h); bit i of `mask`: reg[i] is
 * valid. Mask 0: a kernel thread, or the kernel gave no registers. */
#define SD_TRACE_REGS 64
/* Those that 32-bit code has: of i386 the first nine (asm/perf_regs.h), of arm r0 to r15 and, where
 * 64-bit code has them, the stack pointer and the program counter. */
#if defined(__x86_64__)
#define SD_TRACE_REGS_32 UINT64_C(0x1ff)
#else
#define SD_TRACE_REGS_32 UINT64_C(0x18000ffff)
#endif
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
	SD_EVENT_SEEN, /* it waits here: the stack of a wait whose SWITCH_OUT has none */
	/* SHUT: there are too many switches and wake-ups, from here on they are not recorded (a few
	   may still be); OPEN: from here on all are recorded again */
	SD_EVENT_SHUT,
	SD_EVENT_OPEN,
	/* added when the run is over, since a replay cannot find it out. BARRIER: the futex at
	 * `address` of pid is a libgomp barrier of kind `count` (enum sd_libgomp_barrier); END: the
	 * run's end, with its first process and the kernel's boot id as `name` ("" unknown)
	 */
	SD_EVENT_BARRIER,
	SD_EVENT_END,
	SD_EVENT_PART, /* as those: a part of the run that is judged, from `address` to `count`, ns
			*/
	SD_EVENT_DATA, /* as those: memory that pid could read is mapped, as of MAP; bits of
			  `count`: 1 other processes may map it, too; 2 nobody could write it */
};

struct sd_event {
	enum sd_event_kind kind;
	int pid, tid, other;
	unsigned cpu;
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	/* of SAMPLE, SWITCH_OUT and SEEN */
	uint64_t weight; /* ns of running that this sample stands for; 0 for a switch */
	uint64_t ip;     /* where it was, user or kernel */
	int kernel;      /* ip is the kernel's */
	int preempted;   /* of SWITCH_OUT: it was still ready to run */
	/* of SWITCH_OUT without a stack: which one of its thread's it is, as far as that is known;
	 * a SEEN that follows shows it. Equal numbers are equal stacks; 0 unknown */
	uint32_t stack_id;
	const uint64_t *chain; /* kernel addresses, leaf first; borrowed */
	size_t n_chain;
	/* user return addresses by frame pointers, leaf first, behind those of the kernel. Correct
	 * only in code that keeps frame pointers, but they can cross from one stack to another */
	const uint64_t *pointed;
	size_t n_pointed;
	struct sd_regs regs;
	const unsigned char *stack; /* copy of the user stack from its stack pointer up; borrowed */
	size_t stack_size;
	uint64_t stack_at; /* address of its first byte; 0 = the stack pointer of regs */
	/* of MAP and DATA: file contents [offset, offset + size) are mapped at address. NAME and
	 * SEEN have only `name`, SEEN the kernel function it sleeps in, "" unknown */
	uint64_t address, size, offset;
	uint32_t major, minor;
	uint64_t inode;
	unsigned char build_id[20];
	size_t n_build_id; /* 0 unknown */
	const char *name;  /* path or comm; borrowed, any bytes */
	uint64_t count;
};

#endif
