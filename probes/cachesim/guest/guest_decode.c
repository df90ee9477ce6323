#include "guest/guest_decode.h"

#include <stdint.h>
#include <string.h>

enum sim_target sim_target_parse(const char *name)
{
	if (strcmp(name, "x86_64") == 0)
		return SIM_TARGET_X86_64;
	return strcmp(name, "aarch64") == 0 ? SIM_TARGET_AARCH64 : SIM_TARGET_OTHER;
}

/* add, or, adc, sbb, and, sub, xor, inc, dec, not and neg of memory: SDM volume 2, appendix A. Of
 * others, such as shifts by nothing, it depends whether they store. */
static int x86_modifies(unsigned char opcode, unsigned char modrm)
{
	const unsigned group = modrm >> 3 & 7;

	if (modrm >> 6 == 3)
		return 0;
	switch (opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return group != 7; /* cmp */
	case 0xf6:
	case 0xf7:
		return group == 2 || group == 3;
	case 0xfe:
	case 0xff:
		return group < 2;
	default:
		return opcode < 0x38 && (opcode & 7) < 2;
	}
}

static uint32_t word(const unsigned char *b)
{
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Where the opcode stands that belongs to 0f, which VEX and EVEX prefixes name too; 0 it is none.
 */
static size_t x86_of_0f(const unsigned char *b, size_t n)
{
	size_t i = 0;

	if (b[0] == 0x0f)
		i = 1;
	else if (b[0] == 0xc5)
		i = 2;
	else if (b[0] == 0xc4 && n > 3 && (b[1] & 0x1f) == 1)
		i = 3;
	else if (b[0] == 0x62 && n > 4 && (b[1] & 0x07) == 1)
		i = 4;
	return i < n ? i : 0;
}

/* Intel SDM volume 2, chapter 4, and AMD APM volume 4: movntps, movntpd, movntss, movntsd (2b),
 * movnti (c3), movntq, movntdq (e7), all to memory. */
static int x86_streams(const unsigned char *b, size_t n)
{
	const size_t i = x86_of_0f(b, n);

	return i && i + 1 < n && b[i + 1] >> 6 != 3 &&
	       (b[i] == 0x2b || b[i] == 0xe7 || (b[i] == 0xc3 && i == 1));
}

/* cvtss2sd, cvtsd2ss, cvtps2pd, cvtpd2ps. */
static int x86_converts(const unsigned char *b, size_t n)
{
	const size_t i = x86_of_0f(b, n);

	return i && b[i] == 0x5a;
}

/* Intel SDM volume 2, chapter 2: legacy prefixes in any order, then REX, then the opcode. */
static struct sim_decoded x86(const unsigned char *b, size_t n)
{
	struct sim_decoded d = {0};
	int rep = 0;
	size_t i = 0;

	for (; i < n && b[i] && strchr("\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65", b[i]); i++) {
		d.locked |= b[i] == 0xf0;
		rep |= b[i] == 0xf2 || b[i] == 0xf3;
	}
	if (i < n && (b[i] & 0xf0) == 0x40)
		i++;
	if (i >= n)
		return d;
	if ((b[i] == 0x86 || b[i] == 0x87) && i + 1 < n && b[i + 1] >> 6 != 3)
		d.locked = 1;
	d.streams = x86_streams(b + i, n - i);
	d.converts = x86_converts(b + i, n - i);
	d.modifies = !d.locked && i + 1 < n && x86_modifies(b[i], b[i + 1]);
	d.call = b[i] == 0xe8 || (b[i] == 0xff && i + 1 < n && (b[i + 1] >> 3 & 7) == 2);
	d.ret = b[i] == 0xc2 || b[i] == 0xc3;
	d.indirect = b[i] == 0xff && i + 1 < n && (b[i + 1] >> 4 & 3) == 2;
	if (b[i] == 0xeb && i + 2 == n)
		d.jump = (int64_t)n + (int8_t)b[i + 1];
	else if (b[i] == 0xe9 && i + 5 == n)
		d.jump = (int64_t)n + (int32_t)word(b + i + 1);
	d.repeats = rep && ((b[i] >= 0xa4 && b[i] <= 0xa7) || (b[i] >= 0xaa && b[i] <= 0xaf));
	return d;
}

/* Arm ARM C7.2: FCVT, FCVTL and FCVTN between single and double precision. */
static int aarch64_converts(uint32_t w)
{
	return (w & 0xfffffc00) == 0x1e22c000 || (w & 0xfffffc00) == 0x1e624000 ||
	       (w & 0xbffffc00) == 0x0e617800 || (w & 0xbffffc00) == 0x0e616800;
}

/* Arm ARM C4.1: load/store exclusive (and compare and swap), atomic memory operations, branches.
 * STNP is a hint that a core may leave alone: a store like others. */
static struct sim_decoded aarch64(const unsigned char *b, size_t n)
{
	const uint32_t w = n < 4 ? 0 : word(b);
	const int ordered_only = (w & 0x00a00000) == 0x00800000; /* LDAR, STLR */

	return (struct sim_decoded){
		.locked = ((w & 0x3f000000) == 0x08000000 && !ordered_only) ||
			  (w & 0x3b200c00) == 0x38200000,
		.call = w >> 26 == 0x25 || (w & 0xfffffc1f) == 0xd63f0000,
		.ret = (w & 0xfffffc1f) == 0xd65f0000,
		.indirect = (w & 0xfffffc1f) == 0xd61f0000,
		.converts = aarch64_converts(w),
		.jump = w >> 26 == 0x05 ? (int64_t)(int32_t)(w << 6) >> 4 : 0,
	};
}

struct sim_decoded sim_decode(enum sim_target target, const unsigned char *byte, size_t n)
{
	if (target == SIM_TARGET_X86_64)
		return x86(byte, n);
	return target == SIM_TARGET_AARCH64 ? aarch64(byte, n) : (struct sim_decoded){0};
}

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
		flags |= SIM_CALL_BRIEF;
	return flags;
}

unsigned sim_call_flags(enum sim_target target, long number, uint64_t a1, uint64_t a2)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls && target != SIM_TARGET_OTHER; i++)
		if (number == (target == SIM_TARGET_X86_64 ? calls[i].x86_64 : calls[i].aarch64))
			return refine(calls[i].flags, a1, a2);
	return 0;
}
