#include "operands/operand_aarch64.h"

#define BIT(r) (UINT64_C(1) << (r))

struct transfer {
	struct sd_operand_insn *out;
	uint32_t word;
	uint8_t t, base; /* register and base, which may be the stack pointer */
	int load;
};

static int has(const struct transfer *k, uint32_t mask, uint32_t value)
{
	return (k->word & mask) == value;
}

static unsigned bits(const struct transfer *k, unsigned from, unsigned n)
{
	return sd_operand_aarch64_bits(k->word, from, n);
}

/* ---- one register ---------------------------------------------------------------------------- */

/* Adds what moves `size` bytes at base + by; `sign`: bytes that a load is extended to, 0 with
 * zeros; `vector`: the register is none of ours. */
static struct sd_operand_step *transfer(
	struct transfer *k, int64_t by, unsigned size, unsigned sign, int vector)
{
	const enum sd_operand_do what = k->load  ? vector ? SD_OPERAND_READ : SD_OPERAND_LOAD
					: vector ? SD_OPERAND_WRITE
						 : SD_OPERAND_STORE;
	const uint8_t reg = vector                            ? (uint8_t)SD_OPERAND_ZERO
			    : sign || k->t == SD_OPERAND_ZERO ? (uint8_t)SD_OPERAND_TEMP
							      : k->t;
	struct sd_operand_step *s;

	if (!k->load && k->t == SD_OPERAND_ZERO && !vector) /* the value 0 */
		sd_operand_insn_add(k->out, SD_OPERAND_ADD, SD_OPERAND_TEMP, SD_OPERAND_ZERO);
	s = sd_operand_insn_add(k->out, what, reg, k->base);
	s->imm = by;
	sd_operand_insn_access(k->out, s, size, k->load, !k->load);
	return s;
}

static void extend(struct transfer *k, unsigned size, unsigned sign)
{
	struct sd_operand_step *s;

	if (!sign)
		return;
	s = sd_operand_insn_add(k->out, SD_OPERAND_SIGN, k->t, SD_OPERAND_TEMP);
	s->shift = (uint8_t)size;
	s->width = (uint8_t)sign;
}

static void write_back(struct transfer *k, int64_t by)
{
	if (by)
		sd_operand_insn_add(k->out, SD_OPERAND_ADD, k->base, k->base)->imm = by;
}

/* ldr, str and their like of all sizes: [base, #], [base, register], pre- and post-indexed. */
static void do_single(struct transfer *k)
{
	const unsigned size_bits = bits(k, 30, 2), opc = bits(k, 22, 2), how = bits(k, 10, 2);
	const int vector = (int)bits(k, 26, 1), scaled = (int)bits(k, 24, 1);
	const unsigned size = vector && opc & 2 ? 16 : 1u << size_bits;
	const unsigned sign = vector || opc < 2 ? 0 : opc == 2 ? 8 : 4;
	struct sd_operand_step *s;
	int64_t by = 0;

	if (!vector && size_bits == 3 && opc == 2) /* prfm */
		return;
	k->load = vector ? (int)(opc & 1) : opc != 0;
	if (scaled)
		by = (int64_t)bits(k, 10, 12) * size;
	else if (!bits(k, 21, 1))
		by = sd_operand_aarch64_signed(k->word, 12, 9);
	else if (how & 1) { /* of a signed pointer */
		s = transfer(k, 0, 8, 0, 0);
		s->base = SD_OPERAND_NEVER;
		if (how == 3)
			sd_operand_insn_forget(k->out, BIT(k->base));
		return;
	}
	if (!scaled && !bits(k, 21, 1) && how == 3 && k->base != k->t) { /* first the base */
		write_back(k, by);
		by = 0;
	}
	s = transfer(k, !scaled && !bits(k, 21, 1) && how == 1 ? 0 : by, size, sign, vector);
	if (!scaled && bits(k, 21, 1)) {
		const unsigned option = bits(k, 13, 3);

		s->index = sd_operand_aarch64_register(k->word, 16);
		s->ext = option & 1 ? 0 : (uint8_t)(option & 4 ? 4 | SD_OPERAND_SIGNED : 4);
		s->shift = (uint8_t)(bits(k, 12, 1) ? (size == 16 ? 4 : size_bits) : 0);
	}
	extend(k, size, sign);
	if (!scaled && !bits(k, 21, 1) && how == 1)
		write_back(k, by);
}

static void do_literal(struct transfer *k)
{
	const unsigned opc = bits(k, 30, 2);
	const int vector = (int)bits(k, 26, 1);
	const unsigned size = vector ? 4u << opc : opc == 1 ? 8 : 4;

	if (!vector && opc == 3) /* prfm */
		return;
	k->load = 1;
	k->base = SD_OPERAND_ZERO;
	transfer(k,
		(int64_t)(k->out->ip + (uint64_t)(sd_operand_aarch64_signed(k->word, 5, 19) * 4)),
		size, !vector && opc == 2 ? 8 : 0, vector);
	extend(k, size, !vector && opc == 2 ? 8 : 0);
}

/* ---- two registers, one access --------------------------------------------------------------- */

static void do_pair(struct transfer *k)
{
	const unsigned opc = bits(k, 30, 2), how = bits(k, 23, 2);
	const int vector = (int)bits(k, 26, 1), tagged = !vector && opc == 1 && !bits(k, 22, 1);
	const unsigned size = vector ? 4u << opc : opc == 2 || tagged ? 8 : 4;
	const int64_t imm = sd_operand_aarch64_signed(k->word, 15, 7) * (tagged ? 16 : (int)size);
	const int64_t by = how == 1 ? 0 : imm;
	const uint8_t second = sd_operand_aarch64_register(k->word, 10);
	const unsigned sign = !vector && opc == 1 && !tagged ? 8 : 0;
	struct sd_operand_step *s;

	k->load = (int)bits(k, 22, 1);
	s = sd_operand_insn_add(
		k->out, k->load ? SD_OPERAND_READ : SD_OPERAND_WRITE, SD_OPERAND_ZERO, k->base);
	s->imm = by;
	sd_operand_insn_access(k->out, s, 2 * size, k->load, !k->load);
	for (unsigned i = 0; i < 2 && !vector; i++) { /* their values: no more accesses */
		const uint8_t reg = i ? second : k->t;

		if (!k->load && reg == SD_OPERAND_ZERO)
			sd_operand_insn_add(
				k->out, SD_OPERAND_ADD, SD_OPERAND_TEMP, SD_OPERAND_ZERO);
		s = sd_operand_insn_add(k->out, k->load ? SD_OPERAND_LOAD : SD_OPERAND_STORE,
			k->load                  ? (uint8_t)(SD_OPERAND_TEMP + i)
			: reg == SD_OPERAND_ZERO ? (uint8_t)SD_OPERAND_TEMP
						 : reg,
			k->base);
		s->imm = by + (int64_t)(i * size);
		s->width = (uint8_t)size;
	}
	for (unsigned i = 0; i < 2 && !vector && k->load; i++) {
		s = sd_operand_insn_add(k->out, sign ? SD_OPERAND_SIGN : SD_OPERAND_ADD,
			i ? second : k->t, (uint8_t)(SD_OPERAND_TEMP + i));
		s->shift = sign ? 4 : 0;
	}
	if (how == 1 || how == 3)
		write_back(k, imm);
}

/* ---- atomic ---------------------------------------------------------------------------------- */

static void access_atomic(struct transfer *k, unsigned size, int reads, int writes, int locked)
{
	const int plain = reads && !writes && size <= 8 && k->t != SD_OPERAND_ZERO;
	struct sd_operand_step *const s = sd_operand_insn_add(k->out,
		writes  ? SD_OPERAND_WRITE
		: plain ? SD_OPERAND_LOAD
			: SD_OPERAND_READ,
		plain ? k->t : (uint8_t)SD_OPERAND_ZERO, k->base);

	sd_operand_insn_access(k->out, s, size, reads, writes)->locked = locked != 0;
}

/* ldxr, stxr, ldar, stlr, cas, and pairs of them. */
static void do_exclusive(struct transfer *k)
{
	const unsigned size_bits = bits(k, 30, 2), s = bits(k, 16, 5), size = 1u << size_bits;
	const int o2 = (int)bits(k, 23, 1), o1 = (int)bits(k, 21, 1), load = (int)bits(k, 22, 1);
	const uint64_t second = BIT(sd_operand_aarch64_register(k->word, 10));
	const uint64_t status = BIT(sd_operand_aarch64_register(k->word, 16));

	if (o2 && o1) { /* cas */
		access_atomic(k, size, 1, 1, 1);
		sd_operand_insn_forget(k->out, status);
	} else if (o2) /* ldar, stlr */
		access_atomic(k, size, load, !load, 0);
	else if (o1 && size_bits < 2) { /* casp */
		access_atomic(k, size_bits ? 16 : 8, 1, 1, 1);
		sd_operand_insn_forget(k->out, status | BIT((s + 1) & 31));
	} else {
		access_atomic(k, o1 ? 2 * size : size, load, !load, 1);
		sd_operand_insn_forget(k->out, load ? BIT(k->t) | (o1 ? second : 0) : status);
	}
}

/* ldadd ... swp; ldapr */
static void do_atomic(struct transfer *k)
{
	const unsigned size = 1u << bits(k, 30, 2);

	if (has(k, 0x0020fc00, 0x0020c000)) { /* ldapr */
		access_atomic(k, size, 1, 0, 0);
		return;
	}
	access_atomic(k, bits(k, 15, 1) && bits(k, 12, 3) ? 64 : size, 1, 1, 1);
	sd_operand_insn_forget(k->out, BIT(k->t));
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* ld1 to ld4, st1 to st4. */
static void do_structure(struct transfer *k)
{
	static const uint8_t registers[] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
	const unsigned opcode = bits(k, 12, 4);
	unsigned size;

	if (!bits(k, 24, 1))
		size = (opcode < sizeof registers ? registers[opcode] : 0u) *
		       (bits(k, 30, 1) ? 16 : 8);
	else {
		const unsigned scale = bits(k, 14, 2),
			       n = (bits(k, 13, 1) << 1 | bits(k, 21, 1)) + 1;

		size = n * (scale == 3          ? 1u << bits(k, 10, 2)
				   : scale == 2 ? (bits(k, 10, 1) ? 8 : 4)
						: 1u << scale);
	}
	k->load = (int)bits(k, 22, 1);
	transfer(k, 0, size, 0, 1);
	if (!bits(k, 23, 1))
		return;
	if (bits(k, 16, 5) == 31)
		write_back(k, size);
	else
		sd_operand_insn_add(k->out, SD_OPERAND_ADD, k->base, k->base)->index =
			(uint8_t)bits(k, 16, 5);
}

void sd_operand_aarch64_memory(struct sd_operand_insn *out, uint32_t word)
{
	struct transfer k = {.out = out,
		.word = word,
		.t = sd_operand_aarch64_register(word, 0),
		.base = (uint8_t)(word >> 5 & 31)};

	if (has(&k, 0x3f000000, 0x08000000))
		do_exclusive(&k);
	else if (has(&k, 0xbe000000, 0x0c000000))
		do_structure(&k);
	else if (has(&k, 0x3f200c00, 0x38200000))
		do_atomic(&k);
	else if (has(&k, 0x3b000000, 0x18000000))
		do_literal(&k);
	else if (has(&k, 0x3a000000, 0x28000000))
		do_pair(&k);
	else if (has(&k, 0x3f200c00, 0x19000000)) { /* ldapur, stlur: as ldur, stur */
		k.word |= 0x20000000;
		k.word &= ~UINT32_C(0x01000000);
		do_single(&k);
	} else if (has(&k, 0x3a000000, 0x38000000))
		do_single(&k);
	else { /* tags, memcpy's: of unknown bytes */
		k.base = SD_OPERAND_NEVER;
		access_atomic(&k, 0, 1, 1, 0);
		sd_operand_insn_forget(out, BIT(k.t) | BIT(sd_operand_aarch64_register(word, 5)) |
						    BIT(sd_operand_aarch64_register(word, 16)));
	}
}
