/*
 * A stopped process as a sample sees it: registers in perf's numbers and a copy of the stack.
 */
#ifndef STOPPED_H
#define STOPPED_H

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "trace/event.h"
#include "unwind/unwind.h"

struct stopped {
	struct sd_regs regs;
	unsigned char stack[65536];
	size_t size;
	uint64_t sp, pc;
};

#if defined(__x86_64__)
static inline void stopped_regs(struct stopped *s, const struct user_regs_struct *u)
{
	const uint64_t r[] = {u->rax, u->rbx, u->rcx, u->rdx, u->rsi, u->rdi, u->rbp, u->rsp,
		u->rip, u->eflags, u->cs, u->ss, 0, 0, 0, 0, u->r8, u->r9, u->r10, u->r11, u->r12,
		u->r13, u->r14, u->r15};

	memcpy(s->regs.reg, r, sizeof r);
	s->regs.mask = 0xff0fffu; /* as perf gives: without ds, es, fs, gs */
	s->sp = u->rsp;
	s->pc = u->rip;
}
#elif defined(__aarch64__)
static inline void stopped_regs(struct stopped *s, const struct user_regs_struct *u)
{
	memcpy(s->regs.reg, u->regs, sizeof u->regs);
	s->regs.reg[31] = u->sp;
	s->regs.reg[32] = u->pc;
	s->regs.mask = 0x1ffffffffu;
	s->sp = u->sp;
	s->pc = u->pc;
}
#endif

/* As an event of process `pid`, with `size` bytes of the stack. */
static inline struct sd_event stopped_event(const struct stopped *s, int pid, size_t size)
{
	return (struct sd_event){
		.pid = pid, .tid = pid, .regs = s->regs, .stack = s->stack, .stack_size = size};
}

/* The thread `tid`, which runs or sleeps, is stopped and looked at; it stays stopped. 0, or -1:
 * tracing is denied. */
static inline int stopped_look(struct stopped *s, int tid)
{
	struct user_regs_struct u;
	struct iovec iov = {.iov_base = &u, .iov_len = sizeof u};
	struct iovec local = {.iov_base = s->stack};
	struct iovec remote;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		return -1;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 || waitpid(tid, NULL, __WALL) != tid ||
		ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &iov) != 0)
		return -1;
	stopped_regs(s, &u);
	/* as much as there is: the top of a stack may be nearer */
	for (size_t want = sizeof s->stack; want >= 512; want -= 512) {
		ssize_t n;

		local.iov_len = want;
		remote = (struct iovec){.iov_base = (void *)(uintptr_t)s->sp, .iov_len = want};
		n = process_vm_readv(tid, &local, 1, &remote, 1, 0);
		if (n > 0) {
			s->size = (size_t)n;
			return 0;
		}
	}
	return -1;
}

#endif
