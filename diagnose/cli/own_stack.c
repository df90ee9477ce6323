#include "cli/own_stack.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "base/out_of_memory.h"

/* Bytes of the stack that Linux gives by default, and that libraries count on. */
#define STACK_BYTES (8u << 20)
/* So much of a stack is touched at the start: what is there then needs no room later. */
#define TOUCHED_BYTES (256u << 10)
/* A fault so near the stack pointer is the stack's own. A frame can be this large (libdw's tables
 * are). */
#define NEAR_BYTES (4u << 20)
/* A member of a structure at NULL lies within this. */
#define PAGE_BYTES 4096u
/* A heap that has no room for so much more has none. */
#define LEAST_BYTES (1u << 20)
/* Below a stack of our own, as the kernel has it below its own: what runs out of it faults, and
 * overwrites nothing. As large as the largest frame. */
#define GUARD_BYTES NEAR_BYTES

struct call {
	int (*run)(void *ctx);
	void *ctx;
	int result;
};

static uintptr_t stack_pointer(const ucontext_t *u)
{
#if defined(__x86_64__)
	return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	return (uintptr_t)u->uc_mcontext.sp;
#else
	(void)u;
	return 0;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const uintptr_t at = (uintptr_t)info->si_addr, sp = stack_pointer(context);

	if (at && sp && at + NEAR_BYTES > sp && at < sp + NEAR_BYTES)
		sd_out_of_memory();
	/* libraries (libconfig's parser) use what they asked for, and did not get */
	if (at < PAGE_BYTES && !sd_out_of_memory_room(LEAST_BYTES))
		sd_out_of_memory();
	/* a fault of ours: the same instruction faults again, and nobody catches it */
	signal(number, SIG_DFL);
}

/* Libraries (hwloc) assert that they got what they asked for. */
static void on_abort(int number)
{
	if (!sd_out_of_memory_room(LEAST_BYTES))
		sd_out_of_memory();
	signal(number, SIG_DFL);
	raise(number);
}

__attribute__((unused)) static void catch_faults(void)
{
	const struct sigaction act = {
		.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t alternative = {.ss_size = 64 << 10};

	/* for as long as the process is there */
	alternative.ss_sp = mmap(NULL, alternative.ss_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (alternative.ss_sp == MAP_FAILED)
		sd_out_of_memory();
	if (sigaltstack(&alternative, NULL) == 0) {
		sigaction(SIGSEGV, &act, NULL);
		sigaction(SIGBUS, &act, NULL);
		signal(SIGABRT, on_abort);
	}
}

static void touch(void)
{
	volatile char room[TOUCHED_BYTES];

	for (size_t i = sizeof room; i >= 4096; i -= 4096)
		room[i - 1] = 0;
}

/* makecontext() hands on ints: a pointer goes in two halves. */
union pointer {
	struct call *call;
	unsigned half[2];
};
_Static_assert(sizeof(union pointer) == 2 * sizeof(unsigned), "a pointer has two halves");

static void enter(unsigned first, unsigned second)
{
	const union pointer p = {.half = {first, second}};

	p.call->result = p.call->run(p.call->ctx);
}

static int call_on_mapping(struct call *c)
{
	const union pointer p = {.call = c};
	char *const mapping = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	char *const stack = mapping + GUARD_BYTES;
	ucontext_t here, there;

	if (mapping == MAP_FAILED || mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE) != 0 ||
		getcontext(&there) != 0)
		sd_out_of_memory();
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = &here;
	makecontext(&there, (void (*)(void))enter, 2, p.half[0], p.half[1]);
	if (swapcontext(&here, &there) != 0)
		sd_out_of_memory();
	munmap(mapping, GUARD_BYTES + STACK_BYTES);
	return c->result;
}

int sd_own_stack_call(int (*run)(void *ctx), void *ctx)
{
	struct call c = {.run = run, .ctx = ctx};
	struct rlimit limit;

	sd_out_of_memory_of_new();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	catch_faults(); /* sanitizers tell more of a fault, and have stacks of their own */
#endif
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		limit.rlim_cur < STACK_BYTES)
		return call_on_mapping(&c);
	touch();
	return run(ctx);
}
