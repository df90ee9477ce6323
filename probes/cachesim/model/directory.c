#include "model/directory.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SIZE 4096

int sim_directory_open(struct sim_directory *d)
{
	*d = (struct sim_directory){.size = FIRST_SIZE};
	d->slot = calloc(d->size, sizeof *d->slot);
	return d->slot ? 0 : -ENOMEM;
}

void sim_directory_close(struct sim_directory *d)
{
	free(d->slot);
	*d = (struct sim_directory){0};
}

/* Where a line is, or the empty place where it would go. */
static struct sim_holder *place(const struct sim_directory *d, uint64_t line)
{
	size_t i = sim_hash(line) & (d->size - 1);

	while (d->slot[i].line1 && d->slot[i].line1 != line + 1)
		i = (i + 1) & (d->size - 1);
	return &d->slot[i];
}

struct sim_holder *sim_directory_find(const struct sim_directory *d, uint64_t line)
{
	struct sim_holder *const h = place(d, line);

	return h->line1 ? h : NULL;
}

static int grow(struct sim_directory *d)
{
	struct sim_directory bigger = {.size = d->size * 2, .used = d->used};

	bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
	if (!bigger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < d->size; i++)
		if (d->slot[i].line1)
			*place(&bigger, d->slot[i].line1 - 1) = d->slot[i];
	free(d->slot);
	*d = bigger;
	return 0;
}

struct sim_holder *sim_directory_get(struct sim_directory *d, uint64_t line)
{
	struct sim_holder *h = place(d, line);

	if (h->line1)
		return h;
	if (d->used >= d->size / 2) {
		if (grow(d))
			return NULL;
		h = place(d, line);
	}
	*h = (struct sim_holder){.line1 = line + 1, .owner = SIM_NOBODY};
	d->used++;
	return h;
}

/* Closes the gap by moving back what was pushed along (linear probing without tombstones). */
void sim_directory_drop(struct sim_directory *d, struct sim_holder *h)
{
	const size_t mask = d->size - 1;
	size_t gap = (size_t)(h - d->slot), i = gap;

	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!d->slot[i].line1)
			break;
		home = sim_hash(d->slot[i].line1 - 1) & mask;
		if (((i - home) & mask) >= ((i - gap) & mask)) {
			d->slot[gap] = d->slot[i];
			gap = i;
		}
	}
	d->slot[gap].line1 = 0;
	d->used--;
}
