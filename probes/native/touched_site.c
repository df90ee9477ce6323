#include "native/touched_site.h"

/* Touches looked at: blocks of a line are few, and those that are hot come soon. */
#define LOOK 256

/* The block that a touch lies in; NULL: none is known. */
static const struct sd_heap_block *block_of(
	const struct sd_native_watch *w, const struct sd_timeline *t, const struct sd_touch *e)
{
	const struct sd_touch_sample *const s = &w->touches.sample[e->sample];
	const uint64_t bytes = e->written ? e->written : e->read;

	return bytes ? sd_heap_blocks_at(w->blocks, t->thread[s->thread].pid,
			       e->line + (uint64_t)__builtin_ctzll(bytes), s->time)
		     : NULL;
}

int sd_touched_site_add(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touched_line *l, struct sd_sim_contested *to)
{
	const struct sd_heap_block *last = NULL;
	int rc = 0;

	for (size_t i = 0; w->blocks && i < l->n_touch && i < LOOK && !rc && !to->other; i++) {
		const struct sd_touch *const e = &l->touch[i];
		const struct sd_heap_block *const block =
			e->met == SD_TOUCH_ALONE ? NULL : block_of(w, t, e);
		const struct sd_code_nodes names = {.symbols = w->plans.symbols,
			.stacks = w->plans.stacks,
			.pid = t->thread[w->touches.sample[e->sample].thread].pid};
		unsigned node = 0;

		if (!block || block == last)
			continue;
		last = block;
		rc = sd_heap_blocks_site(block, &names, &node);
		if (!to->site)
			to->site = node;
		else if (node != to->site)
			to->other = node;
	}
	return rc;
}
