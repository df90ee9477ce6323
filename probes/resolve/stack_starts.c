#include "resolve/stack_starts.h"

#define DEEPEST 3 /* frames: the start of the process, and two of the library's */

static unsigned depth_of(const struct sd_stacks *stacks, unsigned node)
{
	unsigned n = 0;

	for (; node && n <= DEEPEST; node = stacks->node[node].parent)
		n++;
	return n;
}

void sd_stack_starts_learn(struct sd_stack_starts *s, const struct sd_stacks *stacks, unsigned node)
{
	const unsigned up = node ? stacks->node[node].parent : 0;
	const unsigned frame = node ? stacks->node[node].frame : 0;

	if (!up || depth_of(stacks, node) > DEEPEST ||
		stacks->frame[frame].module != stacks->frame[stacks->node[up].frame].module)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].frame == frame) {
			if (s->at[i].node != node)
				s->at[i].node = 0;
			return;
		}
	if (s->n == SD_STACK_STARTS)
		return;
	s->at[s->n].frame = frame;
	s->at[s->n++].node = node;
}

unsigned sd_stack_starts_find(const struct sd_stack_starts *s, unsigned frame)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].frame == frame)
			return s->at[i].node;
	return 0;
}
