#include "operands/operand_insn.h"

#include <string.h>

struct sd_operand_step *sd_operand_insn_add(
	struct sd_operand_insn *i, enum sd_operand_do what, uint8_t dst, uint8_t base)
{
	struct sd_operand_step *s;

	if (i->n == SD_OPERAND_INSN_STEPS) {
		s = &i->step[i->n - 1];
		what = SD_OPERAND_FORGET_REGISTERS;
	} else
		s = &i->step[i->n++];
	*s = (struct sd_operand_step){.what = (uint8_t)what,
		.dst = dst,
		.base = base,
		.index = SD_OPERAND_ZERO,
		.width = 8,
		.access = SD_OPERAND_NO_ACCESS};
	if (what == SD_OPERAND_FORGET_REGISTERS)
		s->imm = -1;
	return s;
}

void sd_operand_insn_forget(struct sd_operand_insn *i, uint64_t registers)
{
	registers &= ~(UINT64_C(1) << SD_OPERAND_ZERO | UINT64_C(1) << SD_OPERAND_NEVER);
	if (registers)
		sd_operand_insn_add(
			i, SD_OPERAND_FORGET_REGISTERS, SD_OPERAND_ZERO, SD_OPERAND_ZERO)
			->imm = (int64_t)registers;
}

struct sd_operand *sd_operand_insn_access(struct sd_operand_insn *i, struct sd_operand_step *step,
	unsigned size, int reads, int writes)
{
	struct sd_operand *a;

	step->width = size < 256 ? (uint8_t)size : 0;
	if (i->n_accesses == SD_OPERAND_INSN_ACCESSES)
		return &i->access[SD_OPERAND_INSN_ACCESSES - 1];
	step->access = (uint8_t)i->n_accesses;
	a = &i->access[i->n_accesses++];
	*a = (struct sd_operand){
		.ip = i->ip, .size = size, .reads = reads != 0, .writes = writes != 0};
	return a;
}
