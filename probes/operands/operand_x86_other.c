#include "operands/operand_x86.h"

#include <string.h>

struct sd_operand_part sd_operand_x86_part(unsigned capstone_reg)
{
#define ROW(n, r64, r32, r16, r8)                                                              \
	[X86_REG_##r64] = {n, 8, 0}, [X86_REG_##r32] = {n, 4, 0}, [X86_REG_##r16] = {n, 2, 0}, \
	[X86_REG_##r8] = {                                                                     \
		n,                                                                             \
		1,                                                                             \
		0                                                                              \
	}
	static const struct sd_operand_part parts[X86_REG_ENDING] = {
		ROW(AX, RAX, EAX, AX, AL),
		ROW(BX, RBX, EBX, BX, BL),
		ROW(CX, RCX, ECX, CX, CL),
		ROW(DX, RDX, EDX, DX, DL),
		ROW(SI, RSI, ESI, SI, SIL),
		ROW(DI, RDI, EDI, DI, DIL),
		ROW(BP, RBP, EBP, BP, BPL),
		ROW(SP, RSP, ESP, SP, SPL),
		ROW(R8, R8, R8D, R8W, R8B),
		ROW(R9, R9, R9D, R9W, R9B),
		ROW(R10, R10, R10D, R10W, R10B),
		ROW(R11, R11, R11D, R11W, R11B),
		ROW(R12, R12, R12D, R12W, R12B),
		ROW(R13, R13, R13D, R13W, R13B),
		ROW(R14, R14, R14D, R14W, R14B),
		ROW(R15, R15, R15D, R15W, R15B),
		[X86_REG_AH] = {AX, 1, 1},
		[X86_REG_BH] = {BX, 1, 1},
		[X86_REG_CH] = {CX, 1, 1},
		[X86_REG_DH] = {DX, 1, 1},
	};
#undef ROW
	return capstone_reg < X86_REG_ENDING ? parts[capstone_reg] : (struct sd_operand_part){0};
}

void sd_operand_x86_address(
	const struct sd_operand_x86 *d, struct sd_operand_step *s, const cs_x86_op *o)
{
	const struct sd_operand_part base = sd_operand_x86_part(o->mem.base),
				     index = sd_operand_x86_part(o->mem.index);

	s->imm = o->mem.disp;
	s->base = ZERO;
	if (o->mem.base == X86_REG_RIP)
		s->imm += (int64_t)(d->in->address + d->in->size);
	else if (o->mem.base != X86_REG_INVALID)
		s->base = base.width == 8 ? base.reg : NEVER;
	if (o->mem.index != X86_REG_INVALID && o->mem.index != X86_REG_RIZ &&
		o->mem.index != X86_REG_EIZ) {
		s->index = index.width == 8 ? index.reg : NEVER;
		s->shift = (uint8_t)(o->mem.scale == 8   ? 3
				     : o->mem.scale == 4 ? 2
							 : o->mem.scale == 2);
	}
	if (d->x->addr_size != 8)
		s->base = NEVER;
}

struct sd_operand_step *sd_operand_x86_access(struct sd_operand_x86 *d, const cs_x86_op *o,
	enum sd_operand_do what, uint8_t reg, int reads, int writes)
{
	struct sd_operand_step *const s = sd_operand_insn_add(d->out, what, reg, ZERO);
	struct sd_operand *a;

	sd_operand_x86_address(d, s, o);
	a = sd_operand_insn_access(d->out, s, o->size, reads, writes);
	a->locked = d->locked;
	if (o->mem.segment == X86_REG_FS || o->mem.segment == X86_REG_GS) {
		a->thread_local_ = 1;
		s->base = NEVER;
	}
	return s;
}

/* ---- all others ------------------------------------------------------------------------------ */

static int is_one_of(unsigned id, const uint16_t *ids)
{
	for (; *ids; ids++)
		if (*ids == id)
			return 1;
	return 0;
}
#define IS_ONE_OF(...) is_one_of(d->in->id, (const uint16_t[]){__VA_ARGS__, 0})

/* Names a place in memory, and does not access it. */
static int only_names(const struct sd_operand_x86 *d)
{
	return strncmp(d->in->mnemonic, "prefetch", 8) == 0 ||
	       strncmp(d->in->mnemonic, "bnd", 3) == 0 ||
	       IS_ONE_OF(X86_INS_NOP, X86_INS_INVLPG, X86_INS_CLFLUSH, X86_INS_CLFLUSHOPT,
		       X86_INS_CLWB, X86_INS_MONITOR);
}

/* Operand 0 is not written. */
static int first_is_read(const struct sd_operand_x86 *d)
{
	const char *const m = d->in->mnemonic;

	return IS_ONE_OF(X86_INS_CMP, X86_INS_TEST, X86_INS_BT, X86_INS_PUSH, X86_INS_JMP,
		       X86_INS_LJMP, X86_INS_LCALL, X86_INS_MUL, X86_INS_IMUL, X86_INS_DIV,
		       X86_INS_IDIV, X86_INS_LDMXCSR, X86_INS_VLDMXCSR, X86_INS_FXRSTOR,
		       X86_INS_FXRSTOR64, X86_INS_XRSTOR, X86_INS_XRSTOR64, X86_INS_FLDCW,
		       X86_INS_FLDENV, X86_INS_FRSTOR, X86_INS_LGDT, X86_INS_LIDT, X86_INS_COMISS,
		       X86_INS_COMISD, X86_INS_UCOMISS, X86_INS_UCOMISD, X86_INS_VCOMISS,
		       X86_INS_VCOMISD, X86_INS_VUCOMISS, X86_INS_VUCOMISD, X86_INS_PTEST,
		       X86_INS_VPTEST, X86_INS_VTESTPS, X86_INS_VTESTPD, X86_INS_PCMPISTRI,
		       X86_INS_PCMPESTRI, X86_INS_VPCMPISTRI, X86_INS_VPCMPESTRI, X86_INS_KORTESTB,
		       X86_INS_KORTESTW, X86_INS_KORTESTD, X86_INS_KORTESTQ) ||
	       (m[0] == 'f' && strncmp(m, "fst", 3) != 0 && strncmp(m, "fist", 4) != 0 &&
		       strncmp(m, "fbst", 4) != 0 && strncmp(m, "fnst", 4) != 0 &&
		       strncmp(m, "fns", 3) != 0 && strncmp(m, "fxsave", 6) != 0);
}

/* Operand 0, where it is written, is read as well. */
static int changes(const struct sd_operand_x86 *d)
{
	return d->locked || IS_ONE_OF(X86_INS_ADC, X86_INS_SBB, X86_INS_ROL, X86_INS_ROR,
				    X86_INS_RCL, X86_INS_RCR, X86_INS_SHLD, X86_INS_SHRD,
				    X86_INS_BTS, X86_INS_BTR, X86_INS_BTC, X86_INS_CMPXCHG,
				    X86_INS_CMPXCHG8B, X86_INS_CMPXCHG16B, X86_INS_XADD);
}

/* Registers beside operand 0: capstone 4 does not have them all. */
static uint64_t also_writes(const struct sd_operand_x86 *d)
{
	static const struct {
		uint16_t id;
		uint64_t writes;
	} rows[] = {
		{X86_INS_MUL, BIT(AX) | BIT(DX)},
		{X86_INS_IMUL, BIT(AX) | BIT(DX)}, /* the form of one operand */
		{X86_INS_DIV, BIT(AX) | BIT(DX)},
		{X86_INS_IDIV, BIT(AX) | BIT(DX)},
		{X86_INS_CBW, BIT(AX)},
		{X86_INS_CWD, BIT(DX)},
		{X86_INS_CDQ, BIT(DX)},
		{X86_INS_CQO, BIT(DX)},
		{X86_INS_LAHF, BIT(AX)},
		{X86_INS_XLATB, BIT(AX)},
		{X86_INS_IN, BIT(AX)},
		{X86_INS_CMPXCHG, BIT(AX)},
		{X86_INS_CMPXCHG8B, BIT(AX) | BIT(DX)},
		{X86_INS_CMPXCHG16B, BIT(AX) | BIT(DX)},
		{X86_INS_CPUID, BIT(AX) | BIT(BX) | BIT(CX) | BIT(DX)},
		{X86_INS_RDTSC, BIT(AX) | BIT(DX)},
		{X86_INS_RDTSCP, BIT(AX) | BIT(CX) | BIT(DX)},
		{X86_INS_RDPMC, BIT(AX) | BIT(DX)},
		{X86_INS_XGETBV, BIT(AX) | BIT(DX)},
		{X86_INS_PCMPESTRI, BIT(CX)},
		{X86_INS_PCMPISTRI, BIT(CX)},
		{X86_INS_VPCMPESTRI, BIT(CX)},
		{X86_INS_VPCMPISTRI, BIT(CX)},
		{X86_INS_LOOP, BIT(CX)},
		{X86_INS_LOOPE, BIT(CX)},
		{X86_INS_LOOPNE, BIT(CX)},
		{X86_INS_ENTER, BIT(SP) | BIT(BP)},
		{X86_INS_SYSCALL, BIT(AX) | BIT(CX) | BIT(R11)},
		{X86_INS_SYSENTER, ~UINT64_C(0)},
		{X86_INS_INT, BIT(AX)},
		{X86_INS_XBEGIN, BIT(AX)},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].id == d->in->id)
			return rows[i].writes;
	if (d->in->id == X86_INS_MULX && d->x->op_count > 1)
		return BIT(sd_operand_x86_part(d->x->operands[1].reg).reg);
	return 0;
}

void sd_operand_x86_other(struct sd_operand_x86 *d)
{
	const cs_x86 *const x = d->x;
	uint64_t written = 0;
	cs_regs reads, writes;
	uint8_t n_reads, n_writes;

	for (int i = 0; i < x->op_count && !only_names(d); i++) {
		const cs_x86_op *const o = &x->operands[i];
		const int writes_it = i == 0 && !first_is_read(d);
		struct sd_operand_step *s;

		if (o->type == X86_OP_MEM) {
			const struct sd_operand_part vector = sd_operand_x86_part(o->mem.index);

			s = sd_operand_x86_access(d, o,
				writes_it ? SD_OPERAND_WRITE : SD_OPERAND_READ, ZERO,
				!writes_it || changes(d), writes_it);
			if (!vector.width && s->index != ZERO)
				s->base = NEVER; /* gathers and scatters */
		}
		if (o->type == X86_OP_REG && o->reg >= X86_REG_K0 && o->reg <= X86_REG_K7)
			d->out->masked |= i > 0 && strncmp(d->in->mnemonic, "k", 1) != 0;
		if (o->type == X86_OP_REG && writes_it && sd_operand_x86_part(o->reg).width)
			written |= BIT(sd_operand_x86_part(o->reg).reg);
	}
	if (strstr(d->in->mnemonic, "maskmov"))
		d->out->masked = 1;
	written |= also_writes(d);
	if (IS_ONE_OF(X86_INS_SYSCALL, X86_INS_SYSENTER, X86_INS_INT)) {
		sd_operand_insn_add(d->out, SD_OPERAND_FORGET_STACK, ZERO, ZERO);
		d->out->call = 1;
	}
	/* what comparing is said to write is not */
	if (!first_is_read(d) &&
		!cs_regs_access(d->handle, d->in, reads, &n_reads, writes, &n_writes))
		for (int i = 0; i < n_writes; i++)
			if (sd_operand_x86_part(writes[i]).width)
				written |= BIT(sd_operand_x86_part(writes[i]).reg);
	for (int i = 0; i < d->in->detail->regs_write_count; i++)
		if (sd_operand_x86_part(d->in->detail->regs_write[i]).width)
			written |= BIT(sd_operand_x86_part(d->in->detail->regs_write[i]).reg);
	sd_operand_insn_forget(d->out, written);
}

/* ---- string instructions -------------------------------------------------------------------- */

/* movs, stos, lods, scas, cmps, one element or, with a prefix, rcx of them. */
static void string(struct sd_operand_x86 *d, int reads_si, int reads_di, int writes_di)
{
	const int repeated =
		d->x->prefix[0] == X86_PREFIX_REP || d->x->prefix[0] == X86_PREFIX_REPNE;
	const unsigned size = d->x->op_count ? d->x->operands[0].size : 0;
	const int segment = d->x->prefix[1] == X86_PREFIX_FS || d->x->prefix[1] == X86_PREFIX_GS;

	for (int to = 0; to < 2; to++) {
		const int writes = to && writes_di;
		struct sd_operand_step *s;

		if (!(to ? reads_di || writes_di : reads_si))
			continue;
		s = sd_operand_insn_add(d->out, writes ? SD_OPERAND_WRITE : SD_OPERAND_READ, ZERO,
			to         ? DI
			: !segment ? SI
				   : NEVER);
		if (repeated)
			s->dst = CX;
		sd_operand_insn_access(d->out, s, size, !writes, writes)->thread_local_ =
			!to && segment;
		if (repeated && writes) /* and what is behind it */
			sd_operand_insn_add(d->out, SD_OPERAND_FORGET_STACK, ZERO, ZERO);
	}
	sd_operand_insn_forget(d->out, (repeated ? BIT(CX) : 0) | (reads_si ? BIT(SI) : 0) |
					       (reads_di || writes_di ? BIT(DI) : BIT(AX)));
}

int sd_operand_x86_string(struct sd_operand_x86 *d)
{
	static const struct {
		uint8_t opcode; /* of one byte; the next one is of more than bytes */
		uint8_t reads_si, reads_di, writes_di;
	} strings[] = {
		{0xa4, 1, 0, 1},
		{0xa6, 1, 1, 0},
		{0xaa, 0, 0, 1},
		{0xac, 1, 0, 0},
		{0xae, 0, 1, 0},
	};
	const uint8_t first = d->in->bytes[0];
	const int vector = first == 0xc4 || first == 0xc5 || first == 0x62 || first == 0x8f;

	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		if ((d->x->opcode[0] & 0xfe) == strings[i].opcode && !vector) {
			string(d, strings[i].reads_si, strings[i].reads_di, strings[i].writes_di);
			return 1;
		}
	return 0;
}
