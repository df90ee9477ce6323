#include "resolve/insn_decode.h"

#include <string.h>

enum sd_insn_decode_machine sd_insn_decode_here(void)
{
#if defined(__x86_64__)
	return SD_INSN_DECODE_X86_64;
#elif defined(__aarch64__)
	return SD_INSN_DECODE_AARCH64;
#else
	return SD_INSN_DECODE_OTHER;
#endif
}

static struct sd_insn_decode plain(enum sd_insn_decode_kind kind, size_t length, uint32_t writes)
{
	return (struct sd_insn_decode){.kind = kind, .length = length, .writes = writes};
}

/* ---- x86-64 -----------------------------------------------------------------------------------
 */

struct x86 {
	const unsigned char *p;
	size_t n, at; /* bytes; offset of the next */
	int lock, rep, wide16;
	unsigned rex;
};

/* Length of ModRM, SIB and displacement at p; 0: cut off. */
static size_t modrm_length(const unsigned char *p, size_t n)
{
	const unsigned mod = n ? p[0] >> 6 : 0, rm = n ? p[0] & 7 : 0;
	size_t length = 1;

	if (n == 0 || mod == 3)
		return n ? 1 : 0;
	if (rm == 4) {
		if (n < 2)
			return 0;
		length = mod == 0 && (p[1] & 7) == 5 ? 6 : 2;
	} else if (rm == 5 && mod == 0) {
		length = 5;
	}
	length += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return length <= n ? length : 0;
}

/* The registers that the memory operand's address is made of. */
static uint32_t address_of(const struct x86 *x)
{
	const unsigned char *const p = x->p + x->at;
	const unsigned mod = p[0] >> 6, rm = p[0] & 7;
	uint32_t mask = 0;

	if (mod == 3 || (rm == 5 && mod == 0)) /* a register, or relative to the instruction */
		return 0;
	if (rm != 4)
		return 1u << (rm | (x->rex & 1 ? 8 : 0));
	if (!((p[1] & 7) == 5 && mod == 0))
		mask |= 1u << ((p[1] & 7) | (x->rex & 1 ? 8 : 0));
	if ((p[1] >> 3 & 7) != 4 || x->rex & 2)
		mask |= 1u << ((p[1] >> 3 & 7) | (x->rex & 2 ? 8 : 0));
	return mask;
}

static uint32_t reg_of(const struct x86 *x)
{
	return 1u << ((x->p[x->at] >> 3 & 7) | (x->rex & 4 ? 8 : 0));
}

static uint32_t rm_of(const struct x86 *x)
{
	return 1u << ((x->p[x->at] & 7) | (x->rex & 1 ? 8 : 0));
}

/* Which operand the instruction writes when it is a register. */
enum written { WRITES_NONE, WRITES_REG, WRITES_RM };

static struct sd_insn_decode with_modrm(const struct x86 *x, enum sd_insn_decode_kind reg,
	enum sd_insn_decode_kind memory, size_t immediate, enum written written)
{
	const size_t m = modrm_length(x->p + x->at, x->n - x->at);
	struct sd_insn_decode i = {.length = 0};
	unsigned byte;

	if (m == 0 || x->at + m + immediate > x->n)
		return i;
	byte = x->p[x->at];
	i.kind = byte >> 6 == 3 ? reg : memory;
	i.length = x->at + m + immediate;
	i.addresses = address_of(x);
	if (written == WRITES_REG) {
		i.writes = reg_of(x);
		i.reads = byte >> 6 == 3 ? rm_of(x) : 0;
	} else if (written == WRITES_RM && byte >> 6 == 3) {
		i.writes = rm_of(x);
		i.reads = reg_of(x);
	}
	return i;
}

/* Of a register with a constant: it is made of itself. */
static struct sd_insn_decode with_itself(
	const struct x86 *x, enum sd_insn_decode_kind kind, size_t immediate)
{
	struct sd_insn_decode i = with_modrm(x, kind, SD_INSN_DECODE_UNKNOWN, immediate, WRITES_RM);

	i.reads = i.writes;
	return i;
}

/* Of a register with memory. */
static struct sd_insn_decode exchange(
	const struct x86 *x, enum sd_insn_decode_kind memory, enum written written)
{
	struct sd_insn_decode i = with_modrm(x, SD_INSN_DECODE_UNKNOWN, memory, 0, written);

	i.reads = i.length ? reg_of(x) : 0;
	return i;
}

static struct sd_insn_decode lea(const struct x86 *x)
{
	struct sd_insn_decode i =
		with_modrm(x, SD_INSN_DECODE_UNKNOWN, SD_INSN_DECODE_DERIVE, 0, WRITES_REG);

	i.reads = i.addresses;
	i.addresses = 0;
	return i;
}

static struct sd_insn_decode branch(const struct x86 *x, size_t bytes, int always)
{
	struct sd_insn_decode i = {.always = always};
	int8_t near;
	int32_t far;

	if (x->at + bytes > x->n)
		return i;
	memcpy(&near, x->p + x->at, 1);
	i.kind = SD_INSN_DECODE_BRANCH;
	i.length = x->at + bytes;
	i.target = (long)near;
	if (bytes == 4) {
		memcpy(&far, x->p + x->at, 4);
		i.target = far;
	}
	i.target += (long)i.length;
	return i;
}

static struct sd_insn_decode with_constant(const struct x86 *x, size_t bytes, uint32_t writes)
{
	return plain(x->at + bytes <= x->n ? SD_INSN_DECODE_PLAIN : SD_INSN_DECODE_UNKNOWN,
		x->at + bytes, writes);
}

/* Behind 0x0f. */
static struct sd_insn_decode two_bytes(struct x86 *x)
{
	const unsigned char op = x->at < x->n ? x->p[x->at] : 0;

	x->at++;
	if (op >= 0x80 && op <= 0x8f)
		return branch(x, 4, 0);
	if (op == 0xb0 || op == 0xb1) /* cmpxchg */
		return exchange(
			x, x->lock ? SD_INSN_DECODE_EXCHANGE : SD_INSN_DECODE_UNKNOWN, WRITES_NONE);
	if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) /* movzx, movsx */
		return with_modrm(x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_LOAD, 0, WRITES_REG);
	if (op >= 0x90 && op <= 0x9f) /* setcc */
		return with_modrm(x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_UNKNOWN, 0, WRITES_RM);
	if (op == 0x1f || op == 0x1e) /* nop, endbr64 */
		return with_modrm(x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_PLAIN, 0, WRITES_NONE);
	return plain(SD_INSN_DECODE_UNKNOWN, 0, 0);
}

static void take_prefixes(struct x86 *x)
{
	for (; x->at < x->n; x->at++)
		switch (x->p[x->at]) {
		case 0xf0:
			x->lock = 1;
			break;
		case 0xf3:
			x->rep = 1;
			break;
		case 0x66:
			x->wide16 = 1;
			break;
		case 0x64: /* segments: thread-local words */
		case 0x2e:
		case 0x3e:
			break;
		default:
			if ((x->p[x->at] & 0xf0) == 0x40)
				x->rex = x->p[x->at++];
			return;
		}
}

/* An opcode whose ModRM byte says which of eight it is. */
static struct sd_insn_decode grouped(const struct x86 *x, unsigned op)
{
	const unsigned which = x->at < x->n ? x->p[x->at] >> 3 & 7 : 8;

	if (op == 0xf6 && which == 0) /* test with a constant */
		return with_modrm(x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_LOAD, 1, WRITES_NONE);
	if ((op == 0x80 || op == 0x83) && which == 7) /* cmp */
		return with_modrm(x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_LOAD, 1, WRITES_NONE);
	if ((op == 0x80 || op == 0x83) && (which == 0 || which == 5)) /* add, sub */
		return with_modrm(x, SD_INSN_DECODE_COUNT, SD_INSN_DECODE_UNKNOWN, 1, WRITES_RM);
	if ((op == 0x80 || op == 0x83) && which == 4) /* and */
		return with_itself(x, SD_INSN_DECODE_DERIVE, 1);
	if (op == 0x81 && which == 4 && !x->wide16)
		return with_itself(x, SD_INSN_DECODE_DERIVE, 4);
	if (op == 0x81 && which == 7 && !x->wide16)
		return with_modrm(x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_LOAD, 4, WRITES_NONE);
	if (op == 0xff && which < 2) /* inc, dec */
		return with_modrm(x, SD_INSN_DECODE_COUNT, SD_INSN_DECODE_UNKNOWN, 0, WRITES_RM);
	return plain(SD_INSN_DECODE_UNKNOWN, 0, 0);
}

static struct sd_insn_decode x86_at(const unsigned char *p, size_t n)
{
	struct x86 x = {.p = p, .n = n};
	unsigned op;

	take_prefixes(&x);
	if (x.at >= n)
		return plain(SD_INSN_DECODE_UNKNOWN, 0, 0);
	op = p[x.at++];
	if (op == 0x0f)
		return two_bytes(&x);
	if (op == 0x90)
		return plain(x.rep ? SD_INSN_DECODE_PAUSE : SD_INSN_DECODE_PLAIN, x.at, 0);
	if (op >= 0x70 && op <= 0x7f)
		return branch(&x, 1, 0);
	if (op == 0xeb || op == 0xe9)
		return branch(&x, op == 0xeb ? 1 : 4, 1);
	if (op == 0x8a || op == 0x8b || op == 0x63) /* mov from memory */
		return with_modrm(&x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_LOAD, 0, WRITES_REG);
	if (op == 0x8d)
		return lea(&x);
	if (op == 0x98) { /* cltq */
		struct sd_insn_decode i = plain(SD_INSN_DECODE_DERIVE, x.at, 1);

		i.reads = 1;
		return i;
	}
	if (op == 0x88 || op == 0x89) /* mov to memory: that is work */
		return with_modrm(&x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_UNKNOWN, 0, WRITES_RM);
	if ((op >= 0x38 && op <= 0x3b) || op == 0x84 || op == 0x85) /* cmp, test */
		return with_modrm(&x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_LOAD, 0, WRITES_NONE);
	if (op == 0x3c || op == 0xa8)
		return with_constant(&x, 1, 0);
	if (op == 0x3d && !x.wide16)
		return with_constant(&x, 4, 0);
	if (op >= 0xb8 && op <= 0xbf && !x.wide16 && !(x.rex & 8)) /* mov of a constant */
		return with_constant(&x, 4, 1u << ((op & 7) | (x.rex & 1 ? 8 : 0)));
	if (op == 0x86 || op == 0x87) /* xchg with memory is locked */
		return exchange(&x, SD_INSN_DECODE_EXCHANGE, WRITES_REG);
	if ((op == 0x31 || op == 0x33) && x.at < n && p[x.at] >> 6 == 3 &&
		(p[x.at] >> 3 & 7) == (p[x.at] & 7)) { /* xor with itself: 0 */
		struct sd_insn_decode i =
			with_modrm(&x, SD_INSN_DECODE_PLAIN, SD_INSN_DECODE_UNKNOWN, 0, WRITES_RM);

		i.reads = 0;
		return i;
	}
	return grouped(&x, op);
}

/* Bytes of a constant behind the operands of what may be locked (Intel SDM 2, LOCK); -1: it may
 * not. */
static int lockable(unsigned op, int wide16)
{
	static const struct {
		unsigned op;
		int constant;
	} row[] = {
		{0x80, 1},
		{0x81, 4},
		{0x83, 1},
		{0x86, 0},
		{0x87, 0},
		{0xf6, 0},
		{0xf7, 0},
		{0xfe, 0},
		{0xff, 0},
		/* behind 0x0f: btc, btr, bts, cmpxchg, xadd, cmpxchg16b */
		{0x1ab, 0},
		{0x1b0, 0},
		{0x1b1, 0},
		{0x1b3, 0},
		{0x1ba, 1},
		{0x1bb, 0},
		{0x1c0, 0},
		{0x1c1, 0},
		{0x1c7, 0},
	};

	if (op < 0x38 && (op & 7) < 2) /* add, or, adc, sbb, and, sub, xor to memory */
		return 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].op == op)
			return op == 0x81 && wide16 ? 2 : row[i].constant;
	return -1;
}

/* Bytes of the locked instruction that begins at p; 0: it is none. */
static size_t locked_length(const unsigned char *p, size_t n)
{
	struct x86 x = {.p = p, .n = n};
	unsigned op;
	size_t operands;
	int constant;

	take_prefixes(&x);
	if (!x.lock || x.at >= n)
		return 0;
	op = p[x.at++];
	if (op == 0x0f && x.at < n)
		op = 0x100 | p[x.at++];
	constant = lockable(op, x.wide16);
	operands = x.at < n ? modrm_length(p + x.at, n - x.at) : 0;
	if (constant < 0 || !operands || p[x.at] >> 6 == 3)
		return 0;
	return x.at + operands + (size_t)constant <= n ? x.at + operands + (size_t)constant : 0;
}

#define X86_SHORTEST 3
#define X86_LONGEST 15

static int x86_is_atomic(const unsigned char *p, size_t n, size_t ip)
{
	if (locked_length(p + ip, n - ip))
		return 1;
	for (size_t back = X86_SHORTEST; back <= X86_LONGEST && back <= ip; back++)
		if (locked_length(p + ip - back, back) == back)
			return 1;
	return 0;
}

/* ---- aarch64 ----------------------------------------------------------------------------------
 */

/* Instructions by their fixed bits: Arm Architecture Reference Manual, C4. */
static const struct arm {
	uint32_t mask, value;
	enum sd_insn_decode_kind kind;
	unsigned from, bits; /* of a branch's offset in words */
} arm[] = {
	{0xffffffff, 0xd503203f, SD_INSN_DECODE_PAUSE, 0, 0},    /* yield */
	{0xffffffff, 0xd503205f, SD_INSN_DECODE_PAUSE, 0, 0},    /* wfe */
	{0xffffffff, 0xd5033fdf, SD_INSN_DECODE_PAUSE, 0, 0},    /* isb */
	{0xffffffff, 0xd503201f, SD_INSN_DECODE_PLAIN, 0, 0},    /* nop */
	{0xff000010, 0x54000000, SD_INSN_DECODE_BRANCH, 5, 19},  /* b.cond */
	{0x7e000000, 0x34000000, SD_INSN_DECODE_BRANCH, 5, 19},  /* cbz, cbnz */
	{0x7e000000, 0x36000000, SD_INSN_DECODE_BRANCH, 5, 14},  /* tbz, tbnz */
	{0xfc000000, 0x14000000, SD_INSN_DECODE_BRANCH, 0, 26},  /* b */
	{0x3fc00000, 0x39400000, SD_INSN_DECODE_LOAD, 0, 0},     /* ldr with an offset */
	{0x3fc08000, 0x08c08000, SD_INSN_DECODE_LOAD, 0, 0},     /* ldar */
	{0x3fe00000, 0x08400000, SD_INSN_DECODE_LOAD, 0, 0},     /* ldxr, ldaxr */
	{0x3fa07c00, 0x08a07c00, SD_INSN_DECODE_EXCHANGE, 0, 0}, /* cas */
	{0x3f20fc00, 0x38208000, SD_INSN_DECODE_EXCHANGE, 0, 0}, /* swp */
	{0x3fe00000, 0x08000000, SD_INSN_DECODE_EXCHANGE, 0, 0}, /* stxr, stlxr */
	{0x7f80001f, 0x7100001f, SD_INSN_DECODE_PLAIN, 0, 0},    /* cmp with a constant */
	{0x7f20001f, 0x6b00001f, SD_INSN_DECODE_PLAIN, 0, 0},    /* cmp */
	{0x7f80001f, 0x7200001f, SD_INSN_DECODE_PLAIN, 0, 0},    /* tst with a constant */
	{0x7fe0ffe0, 0x2a0003e0, SD_INSN_DECODE_PLAIN, 0, 0},    /* mov */
	{0x7f800000, 0x52800000, SD_INSN_DECODE_PLAIN, 0, 0},    /* mov of a constant */
	{0x3f800000, 0x11000000, SD_INSN_DECODE_COUNT, 0, 0},    /* add, sub of a constant */
};

static long field(uint32_t word, unsigned from, unsigned bits)
{
	const uint32_t value = word >> from & ((1u << bits) - 1);

	return value >> (bits - 1) & 1 ? (long)value - (1L << bits) : (long)value;
}

static struct sd_insn_decode arm_at(const unsigned char *p, size_t n)
{
	struct sd_insn_decode i = {.length = 4};
	const size_t rows = sizeof arm / sizeof *arm;
	size_t row = 0;
	uint32_t w;

	if (n < 4)
		return plain(SD_INSN_DECODE_UNKNOWN, 0, 0);
	memcpy(&w, p, 4);
	while (row < rows && (w & arm[row].mask) != arm[row].value)
		row++;
	if (row == rows)
		return i;
	i.kind = arm[row].kind;
	if (i.kind == SD_INSN_DECODE_BRANCH) {
		i.target = 4 * field(w, arm[row].from, arm[row].bits);
		i.always = w >> 26 == 5; /* b */
	}
	if (i.kind == SD_INSN_DECODE_LOAD || i.kind == SD_INSN_DECODE_EXCHANGE)
		i.addresses = 1u << (w >> 5 & 31);
	if (i.kind == SD_INSN_DECODE_EXCHANGE) /* swp has it elsewhere than cas and stxr */
		i.reads = 1u << (arm[row].value == 0x38208000 ? w >> 16 & 31 : w & 31);
	if (i.kind == SD_INSN_DECODE_LOAD || i.kind == SD_INSN_DECODE_COUNT ||
		(i.kind == SD_INSN_DECODE_PLAIN && (w & 31) != 31))
		i.writes = 1u << (w & 31);
	return i;
}

struct sd_insn_decode sd_insn_decode_at(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n)
{
	switch (machine) {
	case SD_INSN_DECODE_X86_64:
		return x86_at(code, n);
	case SD_INSN_DECODE_AARCH64:
		return arm_at(code, n);
	default:
		return plain(SD_INSN_DECODE_UNKNOWN, 0, 0);
	}
}

static int arm_word_is_atomic(const unsigned char *p)
{
	uint32_t w;

	memcpy(&w, p, 4);
	return (w & 0x3f200c00) == 0x38200000 || /* ldadd and its like, swp */
	       (w & 0x3fa07c00) == 0x08a07c00 || /* cas */
	       (w & 0x3f800000) == 0x08000000;   /* exclusive loads and stores, casp */
}

int sd_insn_decode_is_atomic(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip)
{
	if (ip > n)
		return 0;
	if (machine == SD_INSN_DECODE_X86_64)
		return x86_is_atomic(code, n, ip);
	if (machine != SD_INSN_DECODE_AARCH64)
		return 0;
	return (ip + 4 <= n && arm_word_is_atomic(code + ip)) ||
	       (ip >= 4 && arm_word_is_atomic(code + ip - 4));
}
