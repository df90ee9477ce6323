#include "native/touched_name.h"

#include <stdio.h>

#include "symbols/code_nodes.h"

#define NAME 512
/* Bytes below and above its samples' stack pointers that are a thread's stack for sure. */
#define BELOW 4096
#define ABOVE 16384

static int holds(const struct sd_native_stack *s, uint64_t address)
{
	for (unsigned i = 0; i < s->n; i++)
		if (address + BELOW >= s->part[i].low && address <= s->part[i].high + ABOVE)
			return 1;
	return 0;
}

/* The stack that holds an address, by the stack pointers of its thread's samples. */
static int name_stack(const struct sd_native_watch *w, const struct sd_timeline *t,
	uint64_t address, int pid, char name[NAME])
{
	for (size_t i = 0; i < w->n_stack; i++) {
		if (t->thread[i].pid != pid || !holds(&w->stack[i], address))
			continue;
		snprintf(name, NAME, "stack of thread %d", t->thread[i].tid);
		return 1;
	}
	return 0;
}

int sd_touched_name_add(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touch *touch, uint64_t touched, unsigned *out)
{
	const int pid = t->thread[w->touches.sample[touch->sample].thread].pid;
	const struct sd_code_nodes names = {
		.symbols = w->plans.symbols, .stacks = w->plans.stacks, .pid = pid};
	const struct sd_data_map *map = sd_shared_lines_map(&w->shared, touch->space, touch->line);
	uint64_t address = touch->line;
	char name[NAME] = "";
	int rc = 0;

	*out = 0;
	if (map) {
		address = map->start + (touch->line - map->offset);
	} else {
		rc = sd_code_nodes_variables(&names, address, touched, 1, out);
		if (rc || *out || name_stack(w, t, address, pid, name))
			return rc ? rc : *out ? 0 : sd_code_nodes_text(names.stacks, name, out);
		map = sd_data_maps_at(&w->data, pid, address);
	}
	if (map)
		sd_data_maps_name(map, address, name, sizeof name);
	return sd_code_nodes_text(names.stacks, name, out);
}
