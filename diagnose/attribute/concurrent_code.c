#include "attribute/concurrent_code.h"

#include <errno.h>
#include <stdlib.h>

#include "attribute/path_ids.h"

int sd_twins_open(struct sd_twins *t, const struct sd_stacks *stacks)
{
	const size_t nodes = stacks ? stacks->n_node : 0;
	int rc;

	*t = (struct sd_twins){.n = nodes};
	t->met = calloc(nodes + 1, sizeof *t->met);
	rc = sd_path_numbers(stacks, &t->place);
	if (rc || !t->met)
		return -ENOMEM;
	for (size_t i = nodes; i-- > 1;) {
		const struct sd_node *const n = &stacks->node[i];
		const struct sd_frame *const f = &stacks->frame[n->frame];
		const uint64_t up = n->parent < i ? t->place[n->parent] : 0;

		/* without its name a function is not known from another */
		t->place[i] = f->function ? sd_path_step(up, f->module, f->function) | 1 : 0;
	}
	return 0;
}

uint64_t sd_twins_place(const struct sd_twins *t, unsigned node)
{
	return node && node < t->n ? t->place[node] : 0;
}

void sd_twins_sample(struct sd_twins *t, struct sd_twin *of, unsigned node)
{
	const uint64_t place = sd_twins_place(t, node);

	if (of->met && place == of->place)
		t->met[of->met]++;
	*of = (struct sd_twin){.place = place};
}

void sd_twins_meet(const struct sd_twins *t, struct sd_twin *other, unsigned node)
{
	const uint64_t place = sd_twins_place(t, node);

	if (place && place == other->place)
		other->met = node;
}

int sd_twins_are(const struct sd_twins *t, unsigned a, unsigned b)
{
	const uint64_t place = sd_twins_place(t, a);

	return place && place == sd_twins_place(t, b);
}

void sd_twins_note(struct sd_twins *t, unsigned node)
{
	if (node < t->n)
		t->met[node]++;
}

unsigned sd_twins_met(const struct sd_twins *t, unsigned node)
{
	return node < t->n ? t->met[node] : 0;
}

void sd_twins_free(struct sd_twins *t)
{
	free(t->place);
	free(t->met);
	*t = (struct sd_twins){0};
}
