#include "simfile/sim_types.h"

#include <stdio.h>
#include <string.h>

#include "instruction/insn_decode.h"
#include "operands/operand_plan.h"
#include "symbols/code_nodes.h"
#include "symbols/part_names.h"

#define LONGEST 15 /* bytes of an instruction */
#define MEMBERS 16 /* that are looked at */
#define FAR 4096   /* bytes into an object, behind which its beginning is not looked for */

/* Members that the code touches, in the order of their places. */
struct touched {
	struct {
		struct sd_symbols_part part;
		unsigned bytes, reads, writes;
	} member[MEMBERS];
	unsigned n;
};

static int is_heap(const struct sd_sim_file *f, const struct sd_sim_file_contested *l)
{
	return l->n_site || (f->brk_high && l->address >= f->brk_low && l->address < f->brk_high);
}

/* The plan of one instruction. 0; -1: it touches no memory, or is none of this machine. */
static int decode(const struct sd_sim_address *n, uint64_t pc, struct sd_operand_plan *plan)
{
	unsigned char code[LONGEST];
	const size_t had = sd_symbols_code(n->symbols, n->f->pid, pc, code, sizeof code);
	const enum sd_insn_decode_machine machine = sd_insn_decode_of_qemu(n->f->target);
	const struct sd_insn_decode insn = sd_insn_decode_at(machine, code, had);

	if (!insn.length || machine != sd_insn_decode_here())
		return -1;
	sd_operand_plan_make(plan, machine, pc, code, insn.length, pc, pc);
	return plan->n ? 0 : -1;
}

static void add_member(
	struct touched *t, const struct sd_symbols_part *part, const struct sd_operand *o)
{
	unsigned i = t->n;

	for (unsigned k = 0; k < t->n; k++)
		if (strcmp(t->member[k].part.name, part->name) == 0) {
			t->member[k].reads |= o->reads;
			t->member[k].writes |= o->writes;
			return;
		}
	if (t->n == MEMBERS)
		return;
	for (; i > 0 && t->member[i - 1].part.into > part->into; i--)
		t->member[i] = t->member[i - 1];
	t->member[i].part = *part;
	t->member[i].bytes = o->size;
	t->member[i].reads = o->reads;
	t->member[i].writes = o->writes;
	t->n++;
}

/* Does the thread touch all members of the first one's object that lie in the line, where that
 * begins at a byte of it, and nothing else that it writes? */
static int fits(const struct touched *t, const struct sd_sim_sharer *s, int64_t begins)
{
	uint64_t read = 0, written = 0;

	for (unsigned i = 0; i < t->n; i++) {
		const int64_t at = begins + (int64_t)t->member[i].part.into;
		const uint64_t bytes = t->member[i].bytes;
		uint64_t mask;

		if (t->member[i].part.entry != t->member->part.entry || !bytes ||
			at + (int64_t)bytes <= 0 || at >= SD_SIM_LINE)
			continue;
		if (at < 0 || at + (int64_t)bytes > SD_SIM_LINE)
			return 0;
		mask = (bytes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1) << at;
		read |= t->member[i].reads ? mask : 0;
		written |= t->member[i].writes ? mask : 0;
	}
	return (read | written) && !(read & ~s->read) && !(written & ~s->written);
}

/* The byte of the line at which the object begins, by the one thread for which there is one such
 * place only. 0; -1: not known. */
static int begin_of(const struct touched *t, const struct sd_sim_file_contested *l, int64_t *begins)
{
	const uint64_t last = t->member[t->n - 1].part.into;

	for (size_t i = 0; i < l->n_sharer && last <= FAR; i++) {
		unsigned found = 0;

		for (int64_t at = -(int64_t)last; at < SD_SIM_LINE && found < 2; at++) {
			if (!fits(t, &l->sharer[i], at))
				continue;
			*begins = at;
			found++;
		}
		if (found == 1)
			return 0;
	}
	return -1;
}

uint64_t sd_sim_types_bytes(const struct sd_sim_address *n, uint64_t line, uint64_t pc)
{
	const struct sd_operand_step *step;
	struct sd_operand_plan plan;
	uint64_t at, bytes;

	if (decode(n, pc, &plan) != 0 || !(step = sd_operand_plan_fixed(&plan, 0)))
		return 0;
	at = (uint64_t)step->imm - line;
	bytes = plan.operand[0].size;
	if (!bytes || at >= SD_SIM_LINE || bytes > SD_SIM_LINE - at)
		return 0;
	return (bytes == 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1) << at;
}

int sd_sim_types_add(const struct sd_sim_address *n, const struct sd_sim_file_contested *l,
	char *name, size_t size, struct sd_sim_contested *to)
{
	const struct sd_code_nodes nodes = {
		.symbols = n->symbols, .stacks = n->stacks, .pid = n->f->pid};
	const size_t used = strlen(name);
	/* memory of no name is a heap of the program's own, as Go's */
	const int heap = !used || is_heap(n->f, l);
	struct sd_part_names names = {.n = 0};
	struct touched t = {.n = 0};
	int64_t begins = 0;

	for (size_t i = 0; i < l->n_code && n->stacks && heap; i++) {
		const struct sd_operand_step *step;
		struct sd_operand_plan plan;
		struct sd_symbols_part part;

		if (decode(n, l->code[i].pc, &plan) == 0 &&
			(step = sd_operand_plan_address(&plan, 0)) &&
			sd_symbols_pointed(n->symbols, n->f->pid, l->code[i].pc, step->base,
				sd_operand_plan_indexed(step), (uint64_t)step->imm, &part) == 0)
			add_member(&t, &part, &plan.operand[0]);
	}
	if (!t.n)
		return 0;
	for (unsigned i = 0; i < t.n; i++)
		sd_part_names_add(&names, &t.member[i].part);
	snprintf(name + used, size - used, used ? " (%s)" : "%s", sd_part_names_text(&names));
	if (begin_of(&t, l, &begins) != 0)
		return 0;
	for (unsigned i = 0; i < t.n; i++) {
		const int64_t at = begins + (int64_t)t.member[i].part.into;

		if (at >= 0 && at < SD_SIM_LINE)
			return sd_code_nodes_object(
				&nodes, &t.member[i].part, (unsigned)at, SD_OBJECT_HEAP, to);
	}
	return 0;
}
