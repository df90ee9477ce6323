#include "threads/ended_thread.h"

#include <stdlib.h>
#include <string.h>

/* The blocks' counts of a thread that is gone join the others'. */
static void merge_blocks(struct sim_run *r, struct sim_thread *t)
{
	if (t->n_blocks > r->n_gone) {
		struct sim_block_count *const p = realloc(r->gone, t->n_blocks * sizeof *p);

		if (!p)
			return;
		memset(p + r->n_gone, 0, (t->n_blocks - r->n_gone) * sizeof *p);
		r->gone = p;
		r->n_gone = t->n_blocks;
	}
	for (size_t i = 0; i < t->n_blocks; i++) {
		r->gone[i].runs += t->blocks[i].runs;
		r->gone[i].back += t->blocks[i].back;
		r->gone[i].moved += t->blocks[i].moved;
		if (t->blocks[i].latch > r->gone[i].latch)
			r->gone[i].latch = t->blocks[i].latch;
	}
	free(t->blocks);
	t->blocks = NULL;
	t->n_blocks = 0;
}

void sim_ended_thread_settle(struct sim_run *r, struct sim_thread *t)
{
	struct sim_counts whole;
	int64_t extra[SIM_ESTIMATED];

	if (!t->near)
		return;
	sim_thread_obey(t);
	memcpy(extra, t->extra, sizeof extra); /* it stays apart from what was counted */
	memset(t->extra, 0, sizeof t->extra);
	pthread_mutex_lock(&r->block_lock);
	sim_thread_result(t, (const struct sim_block *const *)r->block, &whole);
	pthread_mutex_unlock(&r->block_lock);
	t->count = whole;
	t->late = (struct sim_counts){0};
	memcpy(t->extra, extra, sizeof extra);
	sim_machine_leave(&r->machine, t);
	merge_blocks(r, t);
	sim_thread_retire(t);
}
