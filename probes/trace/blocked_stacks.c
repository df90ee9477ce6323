#include "trace/blocked_stacks.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define THREADS 4096u /* a power of two; of two in one place the later switch counts */
#define STACK 8192u

#if defined(__x86_64__)
#define REG_IP PERF_REG_X86_IP
#define REG_SP PERF_REG_X86_SP
static const unsigned arguments[] = {PERF_REG_X86_DI, PERF_REG_X86_SI, PERF_REG_X86_DX};
#elif defined(__aarch64__)
#define REG_IP PERF_REG_ARM64_PC
#define REG_SP PERF_REG_ARM64_SP
static const unsigned arguments[] = {PERF_REG_ARM64_X0, PERF_REG_ARM64_X1, PERF_REG_ARM64_X2};
#endif

struct sd_blocked_stacks_thread {
	int pid, tid;
	uint64_t time; /* of its last switch */
	int waits;     /* and has not been looked at */
};

int sd_blocked_stacks_open(struct sd_blocked_stacks *g)
{
	*g = (struct sd_blocked_stacks){0};
#ifdef REG_IP
	g->thread = calloc(THREADS, sizeof *g->thread);
	g->stack = malloc(STACK);
	if (!g->thread || !g->stack) {
		sd_blocked_stacks_close(g);
		return -ENOMEM;
	}
#endif
	return 0;
}

void sd_blocked_stacks_close(struct sd_blocked_stacks *g)
{
	free(g->thread);
	free(g->stack);
	*g = (struct sd_blocked_stacks){0};
}

static void set(struct sd_blocked_stacks *g, struct sd_blocked_stacks_thread *t, int waits)
{
	g->waiting = g->waiting + (waits != 0) - (t->waits != 0);
	t->waits = waits;
}

/* Another CPU's buffer may hold what came before. */
void sd_blocked_stacks_event(struct sd_blocked_stacks *g, const struct sd_event *e)
{
	struct sd_blocked_stacks_thread *t;

	if (!g->thread || (e->kind != SD_EVENT_SWITCH_OUT && e->kind != SD_EVENT_SWITCH_IN &&
				  e->kind != SD_EVENT_EXIT))
		return;
	t = &g->thread[(unsigned)e->tid & (THREADS - 1)];
	if (e->time < t->time)
		return;
	t->pid = e->pid;
	t->tid = e->tid;
	t->time = e->time;
	set(g, t, e->kind == SD_EVENT_SWITCH_OUT && !e->preempted);
}

static int call_of(int tid, struct sd_proc_syscall *call)
{
	char path[64], text[256];

	snprintf(path, sizeof path, "/proc/%d/syscall", tid);
	if (sd_textfile_read(NULL, path, text, sizeof text) || sd_proc_parse_syscall(text, call))
		return -ENOENT;
	return call->where == SD_PROC_RUNNING || !call->pc || !call->sp ? -ENOENT : 0;
}

static int is_same(const struct sd_proc_syscall *a, const struct sd_proc_syscall *b)
{
	return a->where == b->where && a->nr == b->nr && a->sp == b->sp && a->pc == b->pc &&
	       a->arg[0] == b->arg[0];
}

/* Its top may be less than STACK away: whole pages up to there are what is given then. */
static size_t copy_stack(struct sd_blocked_stacks *g, int pid, uint64_t sp)
{
	enum { PIECE = 4096 };
	struct iovec here = {.iov_base = g->stack, .iov_len = STACK};
	struct iovec there[STACK / PIECE + 1];
	uint64_t at = sp;
	unsigned n = 0;
	ssize_t got;

	while (at - sp < STACK) {
		const uint64_t end = (at | (PIECE - 1)) + 1;
		const uint64_t to = end - sp < STACK ? end : sp + STACK;

		/* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process */
		there[n].iov_base = (void *)(uintptr_t)at;
		there[n++].iov_len = (size_t)(to - at);
		at = to;
	}
	got = process_vm_readv(pid, &here, 1, there, n, 0);
	return got < 0 ? 0 : (size_t)got & ~(size_t)7;
}

#ifdef REG_IP
static void fill(const struct sd_proc_syscall *call, struct sd_event *e)
{
	e->ip = call->pc;
	e->regs.mask = UINT64_C(1) << REG_IP | UINT64_C(1) << REG_SP;
	e->regs.reg[REG_IP] = call->pc;
	e->regs.reg[REG_SP] = call->sp;
	if (call->where != SD_PROC_SYSCALL)
		return;
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
		e->regs.mask |= UINT64_C(1) << arguments[i];
		e->regs.reg[arguments[i]] = call->arg[i];
	}
}
#else
static void fill(const struct sd_proc_syscall *call, struct sd_event *e)
{
	(void)call;
	(void)e;
}
#endif

int sd_blocked_stacks_look(struct sd_blocked_stacks *g, int pid, int tid, struct sd_event *out)
{
	struct sd_proc_syscall call, again;
	char path[64];

	if (!g->stack || call_of(tid, &call))
		return -ENOENT;
	*out = (struct sd_event){.kind = SD_EVENT_SEEN, .pid = pid, .tid = tid};
	out->stack = g->stack;
	out->stack_size = copy_stack(g, pid, call.sp);
	snprintf(path, sizeof path, "/proc/%d/wchan", tid);
	if (sd_textfile_read(NULL, path, g->kernel, sizeof g->kernel) ||
		strcmp(g->kernel, "0") == 0)
		g->kernel[0] = '\0';
	out->name = g->kernel;
	out->time = sd_clock_ns();
	fill(&call, out);
	return call_of(tid, &again) || !is_same(&call, &again) ? -ENOENT : 0;
}

int sd_blocked_stacks_next(struct sd_blocked_stacks *g, struct sd_event *out)
{
	for (unsigned i = 0; i < THREADS && g->waiting; i++) {
		struct sd_blocked_stacks_thread *const t = &g->thread[g->at++ % THREADS];

		if (!t->waits)
			continue;
		set(g, t, 0);
		if (sd_blocked_stacks_look(g, t->pid, t->tid, out) == 0)
			return 0;
	}
	return -ENOENT;
}
