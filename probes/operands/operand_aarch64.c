/*
 * Instructions of aarch64 by their fixed bits: Arm Architecture Reference Manual, C4.1. Everything
 * that is not of memory writes at most the register of bits 0 to 4.
 */
#include "operands/operand_aarch64.h"

enum { LR = 30, SP };

#define BIT(r) (UINT64_C(1) << (r))
#define CALLER_SAVED ((BIT(19) - 1) | BIT(LR))

static int has(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

struct arithmetic {
	struct sd_operand_insn *out;
	uint32_t word;
	uint8_t width, d, n, m; /* registers, 31 being zero */
};

static struct sd_operand_step *compute(
	const struct arithmetic *a, enum sd_operand_do what, uint8_t to, uint8_t base)
{
	struct sd_operand_step *const s = sd_operand_insn_add(a->out, what, to, base);

	s->width = a->width;
	return s;
}

/* The constant of a logical instruction: DecodeBitMasks of the manual. */
static uint64_t bit_mask(uint32_t word)
{
	const unsigned n = sd_operand_aarch64_bits(word, 22, 1);
	const unsigned r = sd_operand_aarch64_bits(word, 16, 6);
	const unsigned s = sd_operand_aarch64_bits(word, 10, 6);
	unsigned size = 64;
	uint64_t ones, all;

	if (!n)
		for (size = 32; size > 1 && (~s & 0x3f) < size; size /= 2)
			;
	all = size == 64 ? ~UINT64_C(0) : BIT(size) - 1;
	ones = (s & (size - 1)) == 63 ? ~UINT64_C(0) : BIT((s & (size - 1)) + 1) - 1;
	if (r & (size - 1))
		ones = (ones >> (r & (size - 1)) | ones << (size - (r & (size - 1)))) & all;
	for (; size < 64; size *= 2)
		ones |= ones << size;
	return ones;
}

static void move_bits(const struct arithmetic *a)
{
	const unsigned bits = a->width * 8u, what = sd_operand_aarch64_bits(a->word, 29, 2);
	const unsigned r = sd_operand_aarch64_bits(a->word, 16, 6);
	const unsigned s = sd_operand_aarch64_bits(a->word, 10, 6);
	const unsigned up = bits - 1 - s;

	if (what == 1 || r >= bits || s >= bits) { /* bfm keeps what was there */
		sd_operand_insn_forget(a->out, BIT(a->d));
		return;
	}
	/* up until the field's highest bit is the register's, and down again */
	compute(a, SD_OPERAND_SHL, a->d, a->n)->imm = up;
	compute(a, what == 0 ? SD_OPERAND_SAR : SD_OPERAND_SHR, a->d, a->d)->imm =
		s >= r ? up + r : up;
	if (s < r)
		compute(a, SD_OPERAND_SHL, a->d, a->d)->imm = bits - r;
}

static void do_immediate(struct arithmetic *a, uint64_t ip)
{
	const uint32_t w = a->word;
	const unsigned op = sd_operand_aarch64_bits(w, 29, 2);
	struct sd_operand_step *s;

	if (has(w, 0x1f000000, 0x10000000)) { /* adr, adrp */
		const int64_t by =
			(int64_t)((uint64_t)sd_operand_aarch64_signed(w, 5, 19) << 2) | op;
		const uint64_t to = w >> 31 ? (ip & ~UINT64_C(0xfff)) + ((uint64_t)by << 12)
					    : ip + (uint64_t)by;

		a->width = 8;
		compute(a, SD_OPERAND_ADD, a->d, SD_OPERAND_ZERO)->imm = (int64_t)to;
	} else if (has(w, 0x1f800000, 0x11000000)) { /* add, sub, adds, subs */
		const int64_t imm = (int64_t)sd_operand_aarch64_bits(w, 10, 12)
				    << (w >> 22 & 1 ? 12 : 0);

		s = compute(a, SD_OPERAND_ADD, (w & 31) == SP && !(op & 1) ? (uint8_t)SP : a->d,
			w >> 5 & 31);
		s->imm = op & 2 ? -imm : imm;
	} else if (has(w, 0x1f800000, 0x12000000)) { /* and, orr, eor, ands */
		static const uint8_t what[] = {
			SD_OPERAND_AND, SD_OPERAND_OR, SD_OPERAND_XOR, SD_OPERAND_AND};

		s = compute(a, (enum sd_operand_do)what[op],
			(w & 31) == SP && op != 3 ? (uint8_t)SP : a->d, a->n);
		s->imm = (int64_t)bit_mask(w);
	} else if (has(w, 0x1f800000, 0x12800000)) { /* movn, movz, movk */
		const unsigned by = 16 * sd_operand_aarch64_bits(w, 21, 2);
		const uint64_t imm = (uint64_t)sd_operand_aarch64_bits(w, 5, 16) << by;

		if (op == 3)
			compute(a, SD_OPERAND_AND, a->d, a->d)->imm =
				(int64_t) ~(UINT64_C(0xffff) << by);
		compute(a, op == 3 ? SD_OPERAND_OR : SD_OPERAND_ADD, a->d,
			op == 3 ? a->d : SD_OPERAND_ZERO)
			->imm = (int64_t)(op == 0 ? ~imm : imm);
	} else if (has(w, 0x1f800000, 0x13000000))
		move_bits(a);
	else
		sd_operand_insn_forget(a->out, BIT(a->d));
}

static void do_register(struct arithmetic *a)
{
	static const uint8_t logical[] = {
		SD_OPERAND_AND, SD_OPERAND_OR, SD_OPERAND_XOR, SD_OPERAND_AND};
	const uint32_t w = a->word;
	const unsigned op = sd_operand_aarch64_bits(w, 29, 2);
	const uint8_t by = (uint8_t)sd_operand_aarch64_bits(w, 10, 6);
	struct sd_operand_step *s = NULL;

	if (has(w, 0x3fe00000, 0x3a400000)) /* ccmp, ccmn */
		return;
	if (has(w, 0x1fe00000, 0x0a000000)) { /* and, orr, eor, ands, shifted to the left */
		s = a->n == SD_OPERAND_ZERO && op == 1 /* mov */
			    ? compute(a, SD_OPERAND_ADD, a->d, by ? a->n : a->m)
			    : compute(a, (enum sd_operand_do)logical[op], a->d, a->n);
		s->index = s->what == SD_OPERAND_ADD && !by ? SD_OPERAND_ZERO : a->m;
		s->shift = by;
	} else if (has(w, 0x1fe00000, 0x0b000000)) { /* add, sub, adds, subs, likewise */
		s = compute(a, op & 2 ? SD_OPERAND_SUB : SD_OPERAND_ADD, a->d, a->n);
		s->index = a->m;
		s->shift = by;
	} else if (has(w, 0x1fe00000, 0x0b200000)) { /* extended */
		const unsigned option = sd_operand_aarch64_bits(w, 13, 3);

		s = compute(a, op & 2 ? SD_OPERAND_SUB : SD_OPERAND_ADD,
			(w & 31) == SP && !(op & 1) ? (uint8_t)SP : a->d, w >> 5 & 31);
		s->index = a->m;
		s->shift = by & 7;
		s->ext = (uint8_t)(1 << (option & 3)) | (option & 4 ? SD_OPERAND_SIGNED : 0);
		if ((option & 3) == 3)
			s->ext = 0;
	} else if (has(w, 0x7fe00000, 0x1b000000)) { /* madd, msub */
		const uint8_t to = (uint8_t)sd_operand_aarch64_bits(w, 10, 5);

		s = compute(a, SD_OPERAND_MUL, SD_OPERAND_TEMP, a->n);
		s->index = a->m;
		s = compute(a, w >> 15 & 1 ? SD_OPERAND_SUB : SD_OPERAND_ADD, a->d,
			to == 31 ? SD_OPERAND_ZERO : to);
		s->index = SD_OPERAND_TEMP;
	} else
		sd_operand_insn_forget(a->out, BIT(a->d));
}

/* ---- branches and the system ----------------------------------------------------------------- */

static void do_branch(struct sd_operand_insn *out, uint32_t w)
{
	if (has(w, 0xfc000000, 0x94000000) || has(w, 0xfebf0000, 0xd63f0000 & 0xfebf0000)) {
		if (!has(w, 0xfc000000, 0x94000000) && !has(w, 0x00600000, 0x00200000))
			return; /* br and ret beside blr */
		sd_operand_insn_add(out, SD_OPERAND_FORGET_STACK, SD_OPERAND_ZERO, SD_OPERAND_ZERO);
		sd_operand_insn_forget(out, CALLER_SAVED);
		out->call = 1;
	} else if (has(w, 0xffe0001f, 0xd4000001)) { /* svc */
		sd_operand_insn_add(out, SD_OPERAND_FORGET_STACK, SD_OPERAND_ZERO, SD_OPERAND_ZERO);
		sd_operand_insn_forget(out, BIT(0));
		out->call = 1;
	} else if (has(w, 0xffffffe0, 0xd50b7420)) { /* dc zva, of as many bytes as the CPU says */
		struct sd_operand_step *const s =
			sd_operand_insn_add(out, SD_OPERAND_WRITE, SD_OPERAND_ZERO, w & 31);

		sd_operand_insn_access(out, s, 0, 0, 1);
	} else if (has(w, 0xffe00000, 0xd5200000)) /* mrs, sysl */
		sd_operand_insn_forget(out, BIT(w & 31) & ~BIT(SP));
}

/* Does one of vectors or floats write a general register? */
static int leaves_vectors(uint32_t w)
{
	return (has(w, 0x5f000000, 0x1e000000) &&
		       (!(w >> 21 & 1) || !sd_operand_aarch64_bits(w, 10, 6))) ||
	       has(w, 0xbfe0fc00, 0x0e003c00) || has(w, 0xbfe0fc00, 0x0e002c00);
}

void sd_operand_aarch64(struct sd_operand_insn *out, uint64_t ip, uint32_t w)
{
	struct arithmetic a = {.out = out,
		.word = w,
		.width = w >> 31 ? 8 : 4,
		.d = sd_operand_aarch64_register(w, 0),
		.n = sd_operand_aarch64_register(w, 5),
		.m = sd_operand_aarch64_register(w, 16)};

	*out = (struct sd_operand_insn){.ip = ip, .length = 4};
	if (has(w, 0x0a000000, 0x08000000))
		sd_operand_aarch64_memory(out, w);
	else if (has(w, 0x9e000000, 0x84000000)) { /* SVE: what predicates say, of unknown length */
		sd_operand_insn_access(out,
			sd_operand_insn_add(
				out, SD_OPERAND_WRITE, SD_OPERAND_ZERO, SD_OPERAND_NEVER),
			0, !(w >> 30 & 1) || !(w >> 29 & 1), (w >> 29 & 3) == 3);
		out->masked = 1;
	} else if (has(w, 0x1c000000, 0x10000000))
		do_immediate(&a, ip);
	else if (has(w, 0x0e000000, 0x0a000000))
		do_register(&a);
	else if (has(w, 0x1c000000, 0x14000000))
		do_branch(out, w);
	else if (!has(w, 0x0e000000, 0x0e000000) || leaves_vectors(w))
		sd_operand_insn_forget(out, BIT(a.d));
}
