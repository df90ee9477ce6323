#include "unwind/unwind.h"

#include <errno.h>

#include "unwind/unwind_rows.h"

struct frame_chain {
	const uint64_t *pc; /* n, leaf first; borrowed */
	size_t n;
	size_t at;   /* pc[at] stands above the word that the frame pointer leads to */
	int in_step; /* that is so */
};

/* Begins at the innermost frame. A chain that does not agree with its registers is out of step. */
static struct frame_chain begin_chain(const struct sd_frame_arch *a,
	const struct sd_framestate *innermost, const uint64_t *pc, size_t n)
{
	const int known = (int)(innermost->valid >> a->fp & 1);

	return (struct frame_chain){
		.pc = pc, .n = n, .at = 1, .in_step = known && n && pc[0] == innermost->pc};
}

/* A step inside of the copy was made, to `up` from a frame with this frame pointer. */
static void step_chain(struct frame_chain *c, const struct sd_frame_arch *a,
	const struct sd_stackcopy *stack, uint64_t pointer, const struct sd_framestate *up)
{
	uint64_t saved, back;

	if (!c->in_step)
		return;
	if (!(up->valid >> a->fp & 1)) {
		c->in_step = 0;
		return;
	}
	if (up->reg[a->fp] == pointer) /* the frame has none of its own */
		return;
	/* else it had one, or what the kernel took for one was another value */
	c->in_step = sd_stackcopy_load(stack, pointer, &saved) == 0 && saved == up->reg[a->fp] &&
		     sd_stackcopy_load(stack, pointer + sizeof saved, &back) == 0 && c->at < c->n &&
		     ((c->pc[c->at] ^ back) & a->code) == 0 && (back & a->code) == up->pc;
	c->at++;
}

/* The return address of a frame that keeps its pointer, behind the copy's end: 1, or 0: unknown. */
static int next_of_chain(struct frame_chain *c, const struct sd_frame_arch *a, uint64_t *pc)
{
	if (!c->in_step || c->at >= c->n)
		return 0;
	*pc = c->pc[c->at++] & a->code;
	return *pc != 0;
}

/* Does the frame pointer lead to the saved one, and the return address stand above it? */
static int keeps_pointer(const struct sd_frame_arch *a, const struct sd_row *row)
{
	const struct sd_rule *ra = NULL, *fp = NULL;

	for (size_t i = 0; i < a->n_kept; i++) {
		if (a->kept[i] == a->ra)
			ra = &row->rule[i];
		if (a->kept[i] == a->fp)
			fp = &row->rule[i];
	}
	return ra && fp && row->cfa.kind == SD_RULE_REG && row->cfa.reg == a->fp &&
	       fp->kind == SD_RULE_AT && fp->n == -row->cfa.n && ra->kind == SD_RULE_AT &&
	       ra->n == fp->n + (int32_t)sizeof(uint64_t);
}

struct walk {
	const struct sd_codemap *map;
	struct sd_stackcopy stack;
	struct frame_chain chain;
	struct sd_framestate f;
	const struct sd_unwind_rows *cfi;
	const struct sd_row *row;
	int has_row;  /* 1, 0: of f.pc; -ENOENT: f.pc is no code */
	int is_exact; /* f.pc is where it is, not where it returns to */
};

static int is_valid(const struct walk *w, unsigned reg)
{
	return (int)(w->f.valid >> reg & 1);
}

static int begin(struct walk *w, const struct sd_regs *regs)
{
	const struct sd_frame_arch *const a = w->map->arch;

	if (!a || !(regs->mask >> a->pc & 1) || !(regs->mask >> a->perf[a->sp] & 1))
		return -ENOENT;
	for (unsigned i = 0; i < SD_FRAME_REGS; i++) {
		const unsigned perf = a->perf[i];

		if (perf >= SD_TRACE_REGS || !(regs->mask >> perf & 1))
			continue;
		w->f.reg[i] = regs->reg[perf];
		w->f.valid |= UINT64_C(1) << i;
	}
	w->f.pc = regs->reg[a->pc];
	w->is_exact = 1;
	if (!w->stack.at)
		w->stack.at = w->f.reg[a->sp];
	return 0;
}

static void locate(struct walk *w)
{
	w->has_row = w->map->row(w->map->ctx, w->f.pc, !w->is_exact, &w->cfi, &w->row);
}

/*
 * A frame without tables keeps a frame pointer, or it is the end: then the pointer leads to a saved
 * one and a return address. 1, 0 (the outermost: its pointer is zero), -ENOENT or -ERANGE.
 */
static int step_by_pointer(struct walk *w)
{
	const struct sd_frame_arch *const a = w->map->arch;
	const uint64_t fp = w->f.reg[a->fp];
	struct sd_framestate up = {.valid = UINT64_C(1) << a->fp | UINT64_C(1) << a->sp};
	int rc;

	if (!is_valid(w, a->fp))
		return -ENOENT;
	if (!fp)
		return 0;
	if (fp < w->f.reg[a->sp] || fp % 8)
		return -ENOENT;
	rc = sd_stackcopy_load(&w->stack, fp, &up.reg[a->fp]);
	rc = rc ? rc : sd_stackcopy_load(&w->stack, fp + 8, &up.pc);
	if (rc)
		return rc;
	up.pc &= a->code;
	up.reg[a->sp] = fp + 16;
	/* a register that only looks like a pointer: nothing called from there */
	if (up.pc && w->map->follows_call(w->map->ctx, up.pc) == 0)
		return -ENOENT;
	w->f = up;
	w->is_exact = 0;
	return 1;
}

/* By what the code says, unless it leads where nothing is called from: then by the pointer. */
static int step_by_guess(struct walk *w)
{
	const struct sd_framestate here = w->f;
	const int rc = sd_unwind_rows_step(w->cfi, w->row, &w->stack, &w->f);

	if (rc == -ERANGE ||
		(rc > 0 && w->f.pc && w->map->follows_call(w->map->ctx, w->f.pc) > 0)) {
		w->is_exact = 0;
		return rc;
	}
	w->f = here;
	return step_by_pointer(w);
}

/* To the caller. 1, 0: there is none; -ENOENT: it is not known; -ERANGE: the copy ends before it.
 */
static int step(struct walk *w)
{
	const unsigned sp = w->map->arch->sp;
	const uint64_t before = w->f.reg[sp], pointer = w->f.reg[w->map->arch->fp];
	/* a leaf that saved nothing has its caller's stack pointer where calls push nothing */
	const int may_stay = w->is_exact && w->map->arch->link;
	int rc, is_signal = 0;

	if (w->has_row && w->row->guessed) {
		rc = step_by_guess(w);
	} else if (w->has_row) {
		is_signal = w->row->signal;
		rc = sd_unwind_rows_step(w->cfi, w->row, &w->stack, &w->f);
		w->is_exact = is_signal;
	} else {
		rc = step_by_pointer(w);
	}
	if (rc <= 0)
		return rc;
	step_chain(&w->chain, w->map->arch, &w->stack, pointer, &w->f);
	if (!w->f.pc)
		return 0;
	/* stacks only shrink towards the caller; a signal may have had a stack of its own */
	if (!is_signal && w->f.reg[sp] <= before && !(may_stay && w->f.reg[sp] == before))
		return -ENOENT;
	locate(w);
	return w->has_row < 0 ? -ENOENT : 1;
}

/* As step(), where the copy has ended: by what the kernel read there. */
static int step_behind(struct walk *w)
{
	const struct sd_frame_arch *const a = w->map->arch;

	if (w->has_row && w->row->rule[0].kind == SD_RULE_UNKNOWN)
		return 0;
	if (w->has_row && !keeps_pointer(a, w->row))
		return -ERANGE;
	if (!next_of_chain(&w->chain, a, &w->f.pc))
		return -ERANGE;
	w->is_exact = 0;
	if (!w->has_row && w->map->follows_call(w->map->ctx, w->f.pc) == 0)
		return -ENOENT;
	locate(w);
	return w->has_row < 0 ? -ENOENT : 1;
}

size_t sd_unwind(const struct sd_codemap *map, const struct sd_unwind_from *from, uint64_t *pc,
	size_t max, struct sd_unwound *how)
{
	struct walk w = {.map = map, .stack = from->stack};
	size_t n = 0;
	int rc;

	*how = (struct sd_unwound){0};
	if (!max || begin(&w, from->regs) != 0)
		return 0;
	w.chain = begin_chain(map->arch, &w.f, from->pointed, from->n_pointed);
	if (from->sp)
		from->sp[n] = w.f.reg[map->arch->sp];
	pc[n++] = w.f.pc;
	how->inside = n;
	locate(&w);
	if (w.has_row < 0)
		return n;
	while ((rc = step(&w)) > 0 && n < max) {
		if (from->sp)
			from->sp[n] = w.f.reg[map->arch->sp];
		pc[n++] = w.f.pc + (w.is_exact ? 1 : 0);
	}
	how->inside = n;
	if (rc == -ERANGE)
		while ((rc = step_behind(&w)) > 0 && n < max)
			pc[n++] = w.f.pc;
	how->whole = rc == 0 ? 1 : rc == -ERANGE ? rc : 0;
	return n;
}
