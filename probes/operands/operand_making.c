#include "operands/operand_making.h"

static void take_apart(struct sd_operand_making *k, struct sd_operand_insn *out, size_t at)
{
	const uint8_t *code = k->code + at;
	size_t left = k->n - at;
	uint64_t address = k->base + at;

	*out = (struct sd_operand_insn){.ip = address};
	if (k->machine == SD_INSN_DECODE_AARCH64 && left >= 4)
		sd_operand_aarch64(out, address,
			(uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
				(uint32_t)code[3] << 24);
	else if (k->machine == SD_INSN_DECODE_X86_64 &&
		 cs_disasm_iter(k->handle, &code, &left, &address, k->in))
		sd_operand_x86(out, k->handle, k->in);
	k->out->decoded += out->length > 0;
}

struct sd_operand_placed *sd_operand_making_place(
	struct sd_operand_making *k, size_t at, unsigned distance)
{
	struct sd_operand_placed *p = NULL;

	for (unsigned i = 0; i < k->n_placed; i++)
		if (k->placed[i].at == at)
			p = &k->placed[i];
	if (p)
		return p->insn.length ? p : NULL;
	if (k->n_placed == SD_OPERAND_MAKING_INSNS || !sd_operand_flow_begins(&k->flow, at)) {
		k->full |= k->n_placed == SD_OPERAND_MAKING_INSNS;
		return NULL;
	}
	p = &k->placed[k->n_placed++];
	p->at = at;
	p->distance = distance;
	take_apart(k, &p->insn, at);
	p->first_operand = k->operands;
	for (unsigned i = 0; i < p->insn.n_accesses; i++, k->operands++) {
		struct sd_operand *const o = &p->insn.access[i];

		o->in_loop = k->looped && at >= k->head && at < k->end;
		if (k->operands < SD_OPERANDS)
			k->out->operand[k->out->n++] = *o;
		else
			k->out->unseen = 1;
	}
	return p->insn.length ? p : NULL;
}

static struct sd_operand_step *emit_step(
	struct sd_operand_making *k, const struct sd_operand_step *s)
{
	if (k->out->n_steps == SD_OPERAND_STEPS) {
		k->full = 1;
		return NULL;
	}
	k->out->step[k->out->n_steps] = *s;
	return &k->out->step[k->out->n_steps++];
}

void sd_operand_making_emit(struct sd_operand_making *k, const struct sd_operand_placed *p)
{
	if (k->out->n_steps + p->insn.n > SD_OPERAND_STEPS) {
		k->full = 1;
		return;
	}
	for (unsigned i = 0; i < p->insn.n; i++) {
		struct sd_operand_step *const s = emit_step(k, &p->insn.step[i]);

		if (s->access == SD_OPERAND_NO_ACCESS)
			continue;
		s->access = p->first_operand + s->access < SD_OPERANDS
				    ? (uint8_t)(p->first_operand + s->access)
				    : SD_OPERAND_NO_ACCESS;
	}
}

static uint64_t written_by(const struct sd_operand_insn *i)
{
	uint64_t all = 0;

	for (unsigned s = 0; s < i->n; s++)
		if (i->step[s].what <= SD_OPERAND_SIGN || i->step[s].what == SD_OPERAND_LOAD)
			all |= UINT64_C(1) << i->step[s].dst;
		else if (i->step[s].what == SD_OPERAND_FORGET_REGISTERS)
			all |= (uint64_t)i->step[s].imm;
	return all & ~(UINT64_C(1) << SD_OPERAND_ZERO);
}

static int is_store(const struct sd_operand_step *s)
{
	return s->what == SD_OPERAND_STORE || s->what == SD_OPERAND_WRITE;
}

void sd_operand_making_forget(struct sd_operand_making *k, unsigned from, unsigned to)
{
	struct sd_operand_step s = {.what = SD_OPERAND_FORGET_REGISTERS,
		.dst = SD_OPERAND_ZERO,
		.base = SD_OPERAND_ZERO,
		.index = SD_OPERAND_ZERO,
		.access = SD_OPERAND_NO_ACCESS};
	uint64_t registers = 0;

	for (unsigned i = from; i < to; i++)
		registers |= written_by(&k->placed[k->lap[i]].insn);
	for (unsigned i = from; i < to; i++) {
		const struct sd_operand_insn *const in = &k->placed[k->lap[i]].insn;

		for (unsigned j = 0; j < in->n; j++) {
			struct sd_operand_step store = in->step[j];

			if (!is_store(&store))
				continue;
			store.what = SD_OPERAND_FORGET_MEMORY;
			store.access = SD_OPERAND_NO_ACCESS;
			if (store.base >= SD_OPERAND_TEMP || registers >> store.base & 1 ||
				registers >> store.index & 1)
				store.what = SD_OPERAND_FORGET_STACK;
			emit_step(k, &store);
		}
	}
	s.imm = (int64_t)registers;
	if (registers)
		emit_step(k, &s);
}
