#include "operands/operand_moment.h"

#include <string.h>

static uint64_t sign_extend(uint64_t value, unsigned width)
{
	const uint64_t sign = UINT64_C(1) << (8 * width - 1);

	return width == 0 || width >= 8 ? value
					: (sd_operand_moment_low(value, width) ^ sign) - sign;
}

/* ---- registers ------------------------------------------------------------------------------- */

void sd_operand_moment_set(
	struct sd_operand_moment *m, unsigned reg, int known, uint64_t value, int doubtful)
{
	const uint64_t bit = sd_operand_moment_bit(reg);

	if (reg == SD_OPERAND_ZERO || reg == SD_OPERAND_NEVER)
		return;
	m->reg[reg] = value;
	m->known = known ? m->known | bit : m->known & ~bit;
	m->doubtful = known && doubtful ? m->doubtful | bit : m->doubtful & ~bit;
}

int sd_operand_moment_doubts(const struct sd_operand_moment *m, const struct sd_operand_step *s)
{
	return (m->doubtful >> s->base & 1) || (m->doubtful >> s->index & 1);
}

/* The term that is added to the base: the index, extended and shifted. */
static uint64_t second_of(const struct sd_operand_moment *m, const struct sd_operand_step *s)
{
	uint64_t value = m->reg[s->index];

	if (s->ext)
		value = s->ext & SD_OPERAND_SIGNED ? sign_extend(value, s->ext & ~SD_OPERAND_SIGNED)
						   : sd_operand_moment_low(value, s->ext);
	return value << s->shift;
}

int sd_operand_moment_address(
	const struct sd_operand_moment *m, const struct sd_operand_step *s, uint64_t *address)
{
	*address = m->reg[s->base] + second_of(m, s) + (uint64_t)s->imm;
	return sd_operand_moment_knows(m, s->base) && sd_operand_moment_knows(m, s->index);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int overlap(const struct sd_operand_note *o, uint64_t address, unsigned width)
{
	return address - o->address < o->width || o->address - address < width;
}

int sd_operand_moment_read(const struct sd_operand_moment *m, uint64_t address, unsigned width,
	uint64_t *value, int *doubtful)
{
	const uint64_t at = address - m->stack_at;

	*doubtful = m->stack_doubtful;
	if (width > sizeof *value)
		return 0;
	for (unsigned i = m->n; i-- > 0;) {
		const struct sd_operand_note *const o = &m->note[i];

		if (!overlap(o, address, width))
			continue;
		/* those that are known have 8 bytes at most */
		if (!o->known || address - o->address >= o->width ||
			address - o->address + width > o->width)
			return 0;
		*value = sd_operand_moment_low(o->value >> 8 * (address - o->address), width);
		return 1;
	}
	if (m->invented) {
		*value = sd_operand_moment_low(m->invented(m->seed, address), width);
		return 1;
	}
	if (m->stack_unknown || at >= m->stack_size || m->stack_size - at < width)
		return 0;
	*value = 0;
	memcpy(value, m->stack + at, width);
	return 1;
}

void sd_operand_moment_note(
	struct sd_operand_moment *m, uint64_t address, unsigned width, int known, uint64_t value)
{
	unsigned kept = 0;

	/* only the copied stack and what was noted is ever read */
	for (unsigned i = 0; i < m->n; i++)
		if (m->note[i].address < address ||
			m->note[i].address + m->note[i].width > address + width)
			m->note[kept++] = m->note[i];
	m->n = kept;
	if (m->n == SD_OPERAND_NOTES) {
		m->stack_unknown = 1;
		m->n = 0;
	}
	m->note[m->n++] = (struct sd_operand_note){
		.address = address, .value = value, .width = (uint8_t)width, .known = known != 0};
}

static uint64_t compute(const struct sd_operand_moment *m, const struct sd_operand_step *s)
{
	const uint64_t a = m->reg[s->base], b = second_of(m, s);
	const uint64_t other = s->index == SD_OPERAND_ZERO ? (uint64_t)s->imm : b;

	switch ((enum sd_operand_do)s->what) {
	case SD_OPERAND_ADD:
		return a + b + (uint64_t)s->imm;
	case SD_OPERAND_SUB:
		return a - b - (uint64_t)s->imm;
	case SD_OPERAND_AND:
		return a & other;
	case SD_OPERAND_OR:
		return a | other;
	case SD_OPERAND_XOR:
		return a ^ other;
	case SD_OPERAND_MUL:
		return a * other;
	case SD_OPERAND_SHL:
		return a << (s->imm & 63);
	case SD_OPERAND_SHR:
		return sd_operand_moment_low(a, s->width) >> (s->imm & 63);
	case SD_OPERAND_SAR: /* of an arithmetic shift: all copies of the sign */
		return (sign_extend(a, s->width) >> (s->imm & 63)) |
		       (sign_extend(a, s->width) >> 63 && (s->imm & 63)
				       ? ~UINT64_C(0) << (64 - (s->imm & 63))
				       : 0);
	default: /* SIGN */
		return sign_extend(a, s->shift);
	}
}

void sd_operand_moment_compute(struct sd_operand_moment *m, const struct sd_operand_step *s)
{
	const uint64_t bit = sd_operand_moment_bit(s->dst);
	const int doubtful = sd_operand_moment_doubts(m, s);
	int known = sd_operand_moment_knows(m, s->base) && sd_operand_moment_knows(m, s->index);
	uint64_t value = sd_operand_moment_low(compute(m, s), s->width);

	if (s->width < 4) { /* the rest stays */
		known = known && (m->known & bit);
		value |= m->reg[s->dst] & ~sd_operand_moment_low(~UINT64_C(0), s->width);
	}
	sd_operand_moment_set(
		m, s->dst, known, value, doubtful || (s->width < 4 && (m->doubtful & bit)));
}

void sd_operand_moment_undo(struct sd_operand_moment *m, const struct sd_operand_step *s)
{
	const uint64_t after = m->reg[s->dst];
	const int known = sd_operand_moment_knows(m, s->dst),
		  doubtful = (int)(m->doubtful >> s->dst & 1);
	/* temporary ones have no upper half that is lost */
	const int whole = s->width == 8 || (s->width == 4 && s->dst >= SD_OPERAND_TEMP);
	uint64_t before;

	if (s->base != s->dst || s->index == s->dst) {
		sd_operand_moment_set(m, s->dst, 0, 0, 0);
		/* a copy tells of what it was made */
		if (known && whole && s->what == SD_OPERAND_ADD && s->base != s->dst &&
			s->index == SD_OPERAND_ZERO && !sd_operand_moment_knows(m, s->base) &&
			s->base < SD_OPERAND_NEVER && s->width == 8)
			sd_operand_moment_set(m, s->base, 1, after - (uint64_t)s->imm, doubtful);
		return;
	}
	before = s->what == SD_OPERAND_ADD ? after - second_of(m, s) - (uint64_t)s->imm
		 : s->what == SD_OPERAND_SUB
			 ? after + second_of(m, s) + (uint64_t)s->imm
			 : after ^ (s->index == SD_OPERAND_ZERO ? (uint64_t)s->imm
								: second_of(m, s));
	sd_operand_moment_set(m, s->dst,
		known && whole && sd_operand_moment_knows(m, s->index) &&
			(s->what == SD_OPERAND_ADD || s->what == SD_OPERAND_SUB ||
				s->what == SD_OPERAND_XOR),
		sd_operand_moment_low(before, s->width), doubtful || (m->doubtful >> s->index & 1));
}
