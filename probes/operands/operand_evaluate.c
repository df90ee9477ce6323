#include <string.h>

#include "operands/operand_plan.h"
#include "operands/operand_walk.h"

static void begin(struct sd_operand_walk *w, const struct sd_regs *regs)
{
	memcpy(w->m.reg, regs->reg, sizeof w->m.reg);
	w->m.known = (regs->mask & (sd_operand_moment_bit(SD_OPERAND_TEMP) - 1)) |
		     sd_operand_moment_bit(SD_OPERAND_ZERO);
	w->m.reg[SD_OPERAND_ZERO] = 0;
	w->m.doubtful = 0;
	w->m.n = 0;
	w->m.stack_doubtful = w->m.stack_unknown = 0;
	w->m.invented = NULL;
}

/* Evaluates the steps up to the sample: backwards, then in order with what that has found. */
static void walk_to_sample(struct sd_operand_walk *w)
{
	const struct sd_operand_plan *const p = w->plan;

	for (unsigned i = p->sampled; i-- > 0;)
		sd_operand_walk_back(w, i);
	for (unsigned i = 0; i < p->sampled; i++) {
		const struct sd_operand_step *const s = &p->step[i];

		sd_operand_walk_forward(w, i);
		if (!w->left_known[i])
			continue;
		if (sd_operand_moment_knows(&w->m, s->dst) && !(w->m.doubtful >> s->dst & 1) &&
			w->m.reg[s->dst] != w->left[i])
			w->contradicts = 1;
		sd_operand_moment_set(&w->m, s->dst, 1, w->left[i], 0);
	}
}

unsigned sd_operand_plan_evaluate(const struct sd_operand_plan *p, const struct sd_regs *regs,
	uint64_t stack_at, const unsigned char *stack, size_t n,
	struct sd_operand_access out[SD_OPERANDS])
{
	struct sd_operand_walk w;
	uint64_t certain, before;
	unsigned found = 0;

	w.plan = p;
	w.m.stack = stack;
	w.m.stack_size = stack ? n : 0;
	w.m.stack_at = stack_at ? stack_at : regs->reg[p->stack_register];
	w.resolved = w.doubtful = 0;
	w.contradicts = 0;
	if (!stack_at && !(regs->mask >> p->stack_register & 1))
		w.m.stack_size = 0;
	begin(&w, regs);
	walk_to_sample(&w);
	if (w.contradicts) /* it came another way, or the code was changed */
		w.resolved = w.doubtful = 0;
	before = w.resolved;
	begin(&w, regs);
	for (unsigned i = p->sampled; i < p->certain; i++)
		sd_operand_walk_forward(&w, i);
	certain = w.resolved & ~w.doubtful;
	for (unsigned i = p->certain; i < p->n_steps; i++)
		sd_operand_walk_forward(&w, i);
	for (unsigned i = 0; i < p->n; i++) {
		const struct sd_operand *const o = &p->operand[i];

		if (!(w.resolved >> i & 1))
			continue;
		out[found++] = (struct sd_operand_access){.address = w.address[i],
			.operand = o,
			.sure = o->sure && (certain >> i & 1),
			.before = before >> i & 1,
			.crosses_line = o->size > 1 && (w.address[i] & 63) + o->size > 64};
	}
	return found;
}
