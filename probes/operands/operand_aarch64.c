#include "operands/operand_insn.h"

void sd_operand_aarch64(struct sd_operand_insn *out, csh handle, const cs_insn *in)
{
	(void)handle;
	*out = (struct sd_operand_insn){.ip = in->address};
}
