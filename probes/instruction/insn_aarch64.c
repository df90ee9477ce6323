#include <string.h>

#include "instruction/insn_machines.h"

enum { ATOMIC = 1, CALL = 2, RETURN = 4, INDIRECT = 8, CONVERTS = 16 };

/* Instructions by their fixed bits: Arm Architecture Reference Manual, C4.1. The first that fits
 * counts. The core may treat a store without temporal locality (stnp) as it likes: none is said to
 * stream. */
static const struct arm {
	uint32_t mask, value;
	enum sd_insn_decode_kind kind;
	unsigned flags;
	unsigned from, bits; /* of a branch's offset in words, of the register that is read */
} arm[] = {
#define K(kind) SD_INSN_DECODE_##kind
	{0xffffffff, 0xd503203f, K(PAUSE), 0, 0, 0},          /* yield */
	{0xffffffff, 0xd503205f, K(PAUSE), 0, 0, 0},          /* wfe */
	{0xffffffff, 0xd5033fdf, K(PAUSE), 0, 0, 0},          /* isb */
	{0xffffffff, 0xd503201f, K(PLAIN), 0, 0, 0},          /* nop */
	{0xff000010, 0x54000000, K(BRANCH), 0, 5, 19},        /* b.cond */
	{0x7e000000, 0x34000000, K(BRANCH), 0, 5, 19},        /* cbz, cbnz */
	{0x7e000000, 0x36000000, K(BRANCH), 0, 5, 14},        /* tbz, tbnz */
	{0xfc000000, 0x14000000, K(BRANCH), 0, 0, 26},        /* b */
	{0x3fc00000, 0x39400000, K(LOAD), 0, 0, 0},           /* ldr with an offset */
	{0x3fe08000, 0x08c08000, K(LOAD), 0, 0, 0},           /* ldar */
	{0x3fe00000, 0x08400000, K(LOAD), ATOMIC, 0, 0},      /* ldxr, ldaxr */
	{0x3fa07c00, 0x08a07c00, K(EXCHANGE), ATOMIC, 0, 5},  /* cas */
	{0x3f20fc00, 0x38208000, K(EXCHANGE), ATOMIC, 16, 5}, /* swp */
	{0x3fe00000, 0x08000000, K(EXCHANGE), ATOMIC, 0, 5},  /* stxr, stlxr */
	{0x7f80001f, 0x7100001f, K(PLAIN), 0, 0, 0},          /* cmp with a constant */
	{0x7f20001f, 0x6b00001f, K(PLAIN), 0, 0, 0},          /* cmp */
	{0x7f80001f, 0x7200001f, K(PLAIN), 0, 0, 0},          /* tst with a constant */
	{0x7fe0ffe0, 0x2a0003e0, K(PLAIN), 0, 16, 5},         /* mov */
	{0x7f800000, 0x52800000, K(PLAIN), 0, 0, 0},          /* mov of a constant */
	{0x3f800000, 0x11000000, K(COUNT), 0, 5, 5},          /* add, sub of a constant */
	/* what no loop that waits has */
	{0x3fa00000, 0x08200000, K(UNKNOWN), ATOMIC, 0, 0},   /* exclusive pairs, casp */
	{0x3f208c00, 0x38200000, K(UNKNOWN), ATOMIC, 0, 0},   /* ldadd ... ldumin; not ldapr */
	{0xfc000000, 0x94000000, K(UNKNOWN), CALL, 0, 0},     /* bl */
	{0xfffffc1f, 0xd63f0000, K(UNKNOWN), CALL, 0, 0},     /* blr */
	{0xfefff800, 0xd63f0800, K(UNKNOWN), CALL, 0, 0},     /* blraa, blrab, blraaz, blrabz */
	{0xfffffc1f, 0xd65f0000, K(UNKNOWN), RETURN, 0, 0},   /* ret */
	{0xfffffbff, 0xd65f0bff, K(UNKNOWN), RETURN, 0, 0},   /* retaa, retab */
	{0xfffffc1f, 0xd61f0000, K(UNKNOWN), INDIRECT, 0, 0}, /* br */
	{0xfefff800, 0xd61f0800, K(UNKNOWN), INDIRECT, 0, 0}, /* braa, brab, braaz, brabz */
	{0xfffffc00, 0x1e22c000, K(UNKNOWN), CONVERTS, 0, 0}, /* fcvt d, s */
	{0xfffffc00, 0x1e624000, K(UNKNOWN), CONVERTS, 0, 0}, /* fcvt s, d */
	{0xbffffc00, 0x0e617800, K(UNKNOWN), CONVERTS, 0, 0}, /* fcvtl */
	{0xbffffc00, 0x0e616800, K(UNKNOWN), CONVERTS, 0, 0}, /* fcvtn */
#undef K
};

static long offset(uint32_t word, unsigned from, unsigned bits)
{
	const uint32_t value = word >> from & ((1u << bits) - 1);

	return value >> (bits - 1) & 1 ? (long)value - (1L << bits) : (long)value;
}

/* Register 31 is the zero register, and the stack pointer of an address. */
static uint32_t but_zero(unsigned number)
{
	return number == 31 ? 0 : 1u << number;
}

struct sd_insn_decode sd_insn_aarch64_at(const unsigned char *code, size_t n)
{
	struct sd_insn_decode i = {.length = 4};
	const size_t rows = sizeof arm / sizeof *arm;
	size_t row = 0;
	uint32_t w;

	if (n < 4)
		return (struct sd_insn_decode){.kind = SD_INSN_DECODE_UNKNOWN};
	memcpy(&w, code, 4);
	while (row < rows && (w & arm[row].mask) != arm[row].value)
		row++;
	if (row == rows)
		return i;
	i.kind = arm[row].kind;
	i.atomic = (arm[row].flags & ATOMIC) != 0;
	i.call = (arm[row].flags & CALL) != 0;
	i.ret = (arm[row].flags & RETURN) != 0;
	i.indirect = (arm[row].flags & INDIRECT) != 0;
	i.converts = (arm[row].flags & CONVERTS) != 0;
	switch (i.kind) {
	case SD_INSN_DECODE_BRANCH:
		i.target = 4 * offset(w, arm[row].from, arm[row].bits);
		i.always = w >> 26 == 5; /* b */
		break;
	case SD_INSN_DECODE_LOAD:
		i.addresses = 1u << (w >> 5 & 31);
		i.writes = but_zero(w & 31);
		break;
	case SD_INSN_DECODE_EXCHANGE: /* its other register has the old value, or the outcome */
		i.addresses = 1u << (w >> 5 & 31);
		i.reads = but_zero(w >> arm[row].from & 31);
		i.writes = but_zero(w >> (16 - arm[row].from) & 31);
		break;
	case SD_INSN_DECODE_PLAIN:
		i.writes = but_zero(w & 31);
		i.reads = arm[row].bits ? but_zero(w >> arm[row].from & 31) : 0;
		break;
	case SD_INSN_DECODE_COUNT:
		i.writes = 1u << (w & 31);
		i.reads = 1u << (w >> arm[row].from & 31);
		break;
	default:
		break;
	}
	return i;
}
