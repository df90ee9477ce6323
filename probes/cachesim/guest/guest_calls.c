#include "guest/guest_calls.h"

#include <stdint.h>

/* asm/unistd.h of both; linux/sched.h and linux/futex.h of their arguments */
enum { CLONE = 1u << 16, FUTEX = 1u << 17 };
static const struct {
	short x86_64, aarch64;
	unsigned flags;
} calls[] = {
	{202, 98, FUTEX | SIM_CALL_ORDERS}, {56, 220, CLONE | SIM_CALL_ORDERS | SIM_CALL_BRIEF},
	{57, -1, SIM_CALL_ORDERS | SIM_CALL_BRIEF}, /* fork */
	{58, -1, SIM_CALL_ORDERS},                  /* vfork */
	{61, 260, SIM_CALL_ORDERS},                 /* wait4 */
	{60, 93, SIM_CALL_ORDERS | SIM_CALL_EXIT},  /* exit */
	{59, 221, SIM_CALL_EXEC},                   /* execve */
	{322, 281, SIM_CALL_EXEC},                  /* execveat */
	{62, 129, SIM_CALL_KILL},                   /* kill */
	{200, 130, SIM_CALL_KILL},                  /* tkill */
	{234, 131, SIM_CALL_KILL},                  /* tgkill */
	{12, 214, SIM_CALL_BRK | SIM_CALL_BRIEF},
	{9, 222, SIM_CALL_BRIEF | SIM_CALL_MAP},     /* mmap */
	{10, 226, SIM_CALL_BRIEF},                   /* mprotect */
	{11, 215, SIM_CALL_BRIEF | SIM_CALL_UNMAP},  /* munmap */
	{25, 216, SIM_CALL_BRIEF},                   /* mremap */
	{28, 233, SIM_CALL_BRIEF | SIM_CALL_ADVISE}, /* madvise */
	{13, 134, SIM_CALL_BRIEF},                   /* rt_sigaction */
	{14, 135, SIM_CALL_BRIEF},                   /* rt_sigprocmask */
	{24, 124, SIM_CALL_BRIEF},                   /* sched_yield */
	{39, 172, SIM_CALL_BRIEF},                   /* getpid */
	{96, 169, SIM_CALL_BRIEF},                   /* gettimeofday */
	{186, 178, SIM_CALL_BRIEF},                  /* gettid */
	{203, 122, SIM_CALL_BRIEF},                  /* sched_setaffinity */
	{204, 123, SIM_CALL_BRIEF},                  /* sched_getaffinity */
	{218, 96, SIM_CALL_BRIEF},                   /* set_tid_address */
	{228, 113, SIM_CALL_BRIEF},                  /* clock_gettime */
	{273, 99, SIM_CALL_BRIEF},                   /* set_robust_list */
	{334, 293, SIM_CALL_BRIEF},                  /* rseq */
	{435, 435, SIM_CALL_BRIEF},                  /* clone3, which QEMU 7.2 has not */
};

static unsigned refine(unsigned flags, uint64_t a1, uint64_t a2)
{
	const unsigned operation = a2 & 0x7f; /* without PRIVATE and CLOCK_REALTIME */

	if (flags & CLONE && (a1 & 0x10100) == 0x10100) /* CLONE_VM | CLONE_THREAD */
		flags |= SIM_CALL_THREAD;
	if (flags & CLONE && a1 & 0x100) /* CLONE_VM */
		flags |= SIM_CALL_SHARES;
	/* FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET */
	if (flags & FUTEX && operation < 32 && 1u << operation & 0x4ba)
		flags |= SIM_CALL_BRIEF | SIM_CALL_WAKE;
	/* those whose result tells who was woken: WAIT, WAKE, LOCK_PI, WAIT_BITSET, WAKE_BITSET,
	 * LOCK_PI2 */
	if (flags & FUTEX && operation < 32 && 1u << operation & 0x2643)
		flags |= SIM_CALL_FUTEX;
	return flags;
}

unsigned sim_call_flags(enum sd_insn_decode_machine target, long number, uint64_t a1, uint64_t a2)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls && target != SD_INSN_DECODE_OTHER; i++)
		if (number ==
			(target == SD_INSN_DECODE_X86_64 ? calls[i].x86_64 : calls[i].aarch64))
			return refine(calls[i].flags, a1, a2);
	return 0;
}
