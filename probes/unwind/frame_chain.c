#include "unwind/frame_chain.h"

struct sd_frame_chain sd_frame_chain_begin(const struct sd_frame_arch *a,
	const struct sd_framestate *innermost, const uint64_t *pc, size_t n)
{
	const int known = (int)(innermost->valid >> a->fp & 1);

	return (struct sd_frame_chain){
		.pc = pc, .n = n, .at = 1, .in_step = known && n && pc[0] == innermost->pc};
}

void sd_frame_chain_step(struct sd_frame_chain *c, const struct sd_frame_arch *a,
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

int sd_frame_chain_next(struct sd_frame_chain *c, const struct sd_frame_arch *a, uint64_t *pc)
{
	if (!c->in_step || c->at >= c->n)
		return 0;
	*pc = c->pc[c->at++] & a->code;
	return *pc != 0;
}

int sd_frame_chain_keeps(const struct sd_frame_arch *a, const struct sd_row *row)
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
