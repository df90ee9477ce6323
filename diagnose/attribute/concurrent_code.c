#include "attribute/concurrent_code.h"

#include <errno.h>
#include <stdlib.h>

#include "attribute/path_ids.h"

int sd_concurrent_code_open(struct sd_concurrent_code *t, const struct sd_stacks *stacks)
{
	const size_t nodes = stacks ? stacks->n_node : 0;
	int rc;

	*t = (struct sd_concurrent_code){.n = nodes};
	t->met = calloc(nodes + 1, sizeof *t->met);
	rc = sd_path_ids(stacks, &t->place);
	if (rc || !t->met)
		return -ENOMEM;
	for (size_t i = nodes; i-- > 1;) {
		const struct sd_node *const n = &stacks->node[i];
		const struct sd_frame *const f = &stacks->frame[n->frame];
		const uint64_t up = n->parent < i ? t->place[n->parent] : 0;

		/* nameless functions cannot be told apart */
		t->place[i] = f->function ? sd_path_ids_step(up, f->module, f->function) | 1 : 0;
	}
	return 0;
}

uint64_t sd_concurrent_code_place(const struct sd_concurrent_code *t, unsigned node)
{
	return node && node < t->n ? t->place[node] : 0;
}

void sd_concurrent_code_sample(struct sd_concurrent_code *t, struct sd_twin *of, unsigned node)
{
	const uint64_t place = sd_concurrent_code_place(t, node);

	if (of->met && place == of->place)
		t->met[of->met]++;
	*of = (struct sd_twin){.place = place};
}

void sd_concurrent_code_meet(
	const struct sd_concurrent_code *t, struct sd_twin *other, unsigned node)
{
	const uint64_t place = sd_concurrent_code_place(t, node);

	if (place && place == other->place)
		other->met = node;
}

int sd_concurrent_code_are(const struct sd_concurrent_code *t, unsigned a, unsigned b)
{
	const uint64_t place = sd_concurrent_code_place(t, a);

	return place && place == sd_concurrent_code_place(t, b);
}

void sd_concurrent_code_note(struct sd_concurrent_code *t, unsigned node)
{
	if (node < t->n)
		t->met[node]++;
}

unsigned sd_concurrent_code_met(const struct sd_concurrent_code *t, unsigned node)
{
	return node < t->n ? t->met[node] : 0;
}

void sd_concurrent_code_free(struct sd_concurrent_code *t)
{
	free(t->place);
	free(t->met);
	*t = (struct sd_concurrent_code){0};
}
