#include "model/directory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SIZE 4096

static struct sim_holder *at(const struct sim_directory *d, size_t i)
{
	return (struct sim_holder *)(void *)(d->entry + i * d->stride);
}

static int map(struct sim_directory *d, size_t size, uint32_t words)
{
	*d = (struct sim_directory){.size = size,
		.words = words,
		.stride = sizeof(struct sim_holder) + words * sizeof(struct sim_holder_slots)};
	d->entry = mmap(NULL, d->size * d->stride, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (d->entry != MAP_FAILED)
		return 0;
	*d = (struct sim_directory){0};
	return -ENOMEM;
}

int sim_directory_open(struct sim_directory *d)
{
	return map(d, FIRST_SIZE, 1);
}

void sim_directory_close(struct sim_directory *d)
{
	if (d->entry)
		munmap(d->entry, d->size * d->stride);
	*d = (struct sim_directory){0};
}

/* The place of the line, or the empty one where it would go. */
static struct sim_holder *place(const struct sim_directory *d, uint64_t line)
{
	size_t i = sim_hash(line) & (d->size - 1);

	while (at(d, i)->line1 && at(d, i)->line1 != line + 1)
		i = (i + 1) & (d->size - 1);
	return at(d, i);
}

struct sim_holder *sim_directory_find(const struct sim_directory *d, uint64_t line)
{
	struct sim_holder *const h = place(d, line);

	return h->line1 ? h : NULL;
}

static int rebuild(struct sim_directory *d, size_t size, uint32_t words)
{
	struct sim_directory bigger;

	if (map(&bigger, size, words))
		return -ENOMEM;
	bigger.used = d->used;
	for (size_t i = 0; i < d->size; i++) {
		const struct sim_holder *const h = at(d, i);
		struct sim_holder *to;

		if (!h->line1)
			continue;
		to = place(&bigger, h->line1 - 1);
		memcpy(to, h, d->stride);
		to->words = words;
	}
	sim_directory_close(d);
	*d = bigger;
	return 0;
}

int sim_directory_widen(struct sim_directory *d, unsigned slot)
{
	return slot / 64 < d->words ? 0 : rebuild(d, d->size, SIM_SLOTS / 64);
}

struct sim_holder *sim_directory_get(struct sim_directory *d, uint64_t line)
{
	struct sim_holder *h = place(d, line);

	if (h->line1)
		return h;
	if (d->used >= d->size / 2) {
		if (rebuild(d, d->size * 2, d->words))
			return NULL;
		h = place(d, line);
	}
	memset(h, 0, d->stride);
	h->line1 = line + 1;
	h->owner = SIM_NOBODY;
	h->words = d->words;
	d->used++;
	return h;
}

/* Closes the gap by moving back what was pushed along (linear probing without tombstones). */
void sim_directory_drop(struct sim_directory *d, struct sim_holder *h)
{
	const size_t mask = d->size - 1;
	size_t gap = (size_t)((unsigned char *)h - d->entry) / d->stride, i = gap;

	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!at(d, i)->line1)
			break;
		home = sim_hash(at(d, i)->line1 - 1) & mask;
		if (((i - home) & mask) >= ((i - gap) & mask)) {
			memcpy(at(d, gap), at(d, i), d->stride);
			gap = i;
		}
	}
	at(d, gap)->line1 = 0;
	d->used--;
}
