#include "operands/operand_plan.h"

#include <string.h>

#include "operands/operand_moment.h"

struct walk {
	const struct sd_operand_plan *plan;
	struct sd_operand_moment m;
	/* what each step of those before the sample left in its register, found backwards */
	uint64_t left[SD_OPERAND_STEPS];
	unsigned char left_known[SD_OPERAND_STEPS];
	uint64_t address[SD_OPERANDS];
	uint64_t resolved, doubtful; /* operands, a bit each */
	int contradicts;
};

static void forget_memory(
	struct walk *w, const struct sd_operand_step *s, int has, uint64_t address)
{
	if (has && s->width)
		sd_operand_moment_note(&w->m, address, s->width, 0, 0);
	else if (!has && s->base == SD_OPERAND_NEVER && s->access != SD_OPERAND_NO_ACCESS &&
		 w->plan->operand[s->access].thread_local_)
		return;
	else
		w->m.stack_doubtful = 1;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void record(struct walk *w, const struct sd_operand_step *s, int has, uint64_t address)
{
	if (s->access == SD_OPERAND_NO_ACCESS || !has || w->resolved >> s->access & 1)
		return;
	if ((s->what == SD_OPERAND_READ || s->what == SD_OPERAND_WRITE) &&
		s->dst != SD_OPERAND_ZERO &&
		(!sd_operand_moment_knows(&w->m, s->dst) || !w->m.reg[s->dst]))
		return;
	w->resolved |= sd_operand_moment_bit(s->access);
	w->address[s->access] = address;
	if (sd_operand_moment_doubts(&w->m, s))
		w->doubtful |= sd_operand_moment_bit(s->access);
}

static void step_forward(struct walk *w, const struct sd_operand_step *s)
{
	struct sd_operand_moment *const m = &w->m;
	uint64_t address = 0, value = 0;
	int has = 0, doubtful = 0, known;

	if (s->what >= SD_OPERAND_LOAD && s->what < SD_OPERAND_FORGET_STACK) {
		has = sd_operand_moment_address(m, s, &address);
		record(w, s, has, address);
	}
	switch ((enum sd_operand_do)s->what) {
	case SD_OPERAND_LOAD:
		doubtful = sd_operand_moment_doubts(m, s);
		known = has && s->width &&
			sd_operand_moment_read(&w->m, address, s->width, &value, &known);
		sd_operand_moment_set(m, s->dst, known, value, doubtful || m->stack_doubtful);
		break;
	case SD_OPERAND_STORE:
		if (has && sd_operand_moment_knows(m, s->dst) && s->width && s->width <= 8)
			sd_operand_moment_note(&w->m, address, s->width, 1,
				sd_operand_moment_low(m->reg[s->dst], s->width));
		else
			forget_memory(w, s, has, address);
		break;
	case SD_OPERAND_WRITE:
	case SD_OPERAND_FORGET_MEMORY:
		forget_memory(w, s, has, address);
		break;
	case SD_OPERAND_READ:
		break;
	case SD_OPERAND_FORGET_STACK:
		m->stack_doubtful = 1;
		break;
	case SD_OPERAND_FORGET_REGISTERS:
		m->known &= ~((uint64_t)s->imm & ~sd_operand_moment_bit(SD_OPERAND_ZERO));
		break;
	default:
		sd_operand_moment_compute(m, s);
	}
}

/* Memory held at `address` what was loaded from there, unless it is known better. */
static void undo_load(struct walk *w, const struct sd_operand_step *s)
{
	struct sd_operand_moment *const m = &w->m;
	const uint64_t after = m->reg[s->dst];
	const int known = sd_operand_moment_knows(m, s->dst);
	uint64_t address, value;
	int doubtful, has;

	sd_operand_moment_set(m, s->dst, 0, 0, 0);
	has = sd_operand_moment_address(m, s, &address);
	if (has && known && s->width && s->width <= 8 &&
		!sd_operand_moment_read(&w->m, address, s->width, &value, &doubtful))
		sd_operand_moment_note(
			&w->m, address, s->width, 1, sd_operand_moment_low(after, s->width));
}

static void undo_store(struct walk *w, const struct sd_operand_step *s)
{
	struct sd_operand_moment *const m = &w->m;
	uint64_t address, value = 0;
	int doubtful;
	const int has = sd_operand_moment_address(m, s, &address);

	if (has && s->width && (s->width == 8 || (s->width < 8 && s->dst >= SD_OPERAND_TEMP)) &&
		!sd_operand_moment_knows(m, s->dst) &&
		sd_operand_moment_read(&w->m, address, s->width, &value, &doubtful))
		sd_operand_moment_set(m, s->dst, 1, value, doubtful);
	forget_memory(w, s, has, address);
}

static void step_back(struct walk *w, unsigned i)
{
	const struct sd_operand_step *const s = &w->plan->step[i];
	struct sd_operand_moment *const m = &w->m;
	uint64_t address = 0;
	int has;

	w->left[i] = m->reg[s->dst];
	w->left_known[i] = s->what <= SD_OPERAND_SIGN || s->what == SD_OPERAND_LOAD
				   ? (unsigned char)(sd_operand_moment_knows(m, s->dst) &&
						     !(m->doubtful >> s->dst & 1))
				   : 0;
	switch ((enum sd_operand_do)s->what) {
	case SD_OPERAND_LOAD:
		undo_load(w, s);
		break;
	case SD_OPERAND_STORE:
		undo_store(w, s);
		break;
	case SD_OPERAND_WRITE:
	case SD_OPERAND_FORGET_MEMORY:
		has = sd_operand_moment_address(m, s, &address);
		forget_memory(w, s, has, address);
		break;
	case SD_OPERAND_READ:
		break;
	case SD_OPERAND_FORGET_STACK:
		m->stack_doubtful = 1;
		break;
	case SD_OPERAND_FORGET_REGISTERS:
		m->known &= ~((uint64_t)s->imm & ~sd_operand_moment_bit(SD_OPERAND_ZERO));
		break;
	default:
		sd_operand_moment_undo(m, s);
	}
	if (s->what >= SD_OPERAND_LOAD && s->what < SD_OPERAND_FORGET_STACK) {
		has = sd_operand_moment_address(m, s, &address);
		record(w, s, has, address);
	}
}

/* ---- a sample -------------------------------------------------------------------------------- */

static void begin(struct walk *w, const struct sd_regs *regs)
{
	memcpy(w->m.reg, regs->reg, sizeof w->m.reg);
	w->m.known = (regs->mask & (sd_operand_moment_bit(SD_OPERAND_TEMP) - 1)) |
		     sd_operand_moment_bit(SD_OPERAND_ZERO);
	w->m.reg[SD_OPERAND_ZERO] = 0;
	w->m.doubtful = 0;
	w->m.n = 0;
	w->m.stack_doubtful = w->m.stack_unknown = 0;
}

/* What led to the sample: backwards from it, then with what that found once more in its order. */
static void walk_to_sample(struct walk *w)
{
	const struct sd_operand_plan *const p = w->plan;

	for (unsigned i = p->sampled; i-- > 0;)
		step_back(w, i);
	for (unsigned i = 0; i < p->sampled; i++) {
		const struct sd_operand_step *const s = &p->step[i];

		step_forward(w, s);
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
	struct walk w;
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
		step_forward(&w, &p->step[i]);
	certain = w.resolved & ~w.doubtful;
	for (unsigned i = p->certain; i < p->n_steps; i++)
		step_forward(&w, &p->step[i]);
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
