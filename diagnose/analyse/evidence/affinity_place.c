#include "evidence/affinity_place.h"

#include <string.h>

static const struct sd_frame *frame_of(const struct sd_stacks *s, unsigned node)
{
	const unsigned frame = s->node[node].frame;

	return frame < s->n_frame && s->frame[frame].function < s->n_text ? &s->frame[frame] : NULL;
}

/* sched_setaffinity, pthread_setaffinity_np, and the kernel's. */
static int sets(const struct sd_stacks *s, const struct sd_frame *f)
{
	return f && strstr(s->text[f->function], "setaffinity") != NULL;
}

const struct sd_frame *sd_affinity_place(const struct sd_stacks *s)
{
	for (unsigned i = 1; i < s->n_node; i++) {
		unsigned node = i;

		if (!sets(s, frame_of(s, i)))
			continue;
		while (s->node[node].parent < node) {
			const struct sd_frame *f;

			node = s->node[node].parent;
			f = node ? frame_of(s, node) : NULL;
			if (f && !f->kernel && f->function && !sets(s, f))
				return f;
		}
	}
	return NULL;
}
