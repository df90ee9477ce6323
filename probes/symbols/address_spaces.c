#include "symbols/address_spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct sd_space *get(const struct sd_address_spaces *s, int pid)
{
	const uint64_t *slot = sd_key_table_find(&s->of, (uint64_t)(unsigned)pid + 1, 0);

	return slot ? sd_key_table_pointer(*slot) : NULL;
}

static void leave(struct sd_space *space)
{
	if (!space || --space->users > 0)
		return;
	free(space->map);
	free(space);
}

/* pid's space is now `space`, which it joins; NULL: an empty one. */
static int put(struct sd_address_spaces *s, int pid, struct sd_space *space)
{
	uint64_t *slot = sd_key_table_add(&s->of, (uint64_t)(unsigned)pid + 1, 0);

	if (slot && !space)
		space = calloc(1, sizeof *space);
	if (!slot || !space)
		return -ENOMEM;
	space->users++;
	leave(sd_key_table_pointer(*slot));
	*slot = (uintptr_t)space;
	return 0;
}

int sd_address_spaces_exec(struct sd_address_spaces *s, int pid)
{
	return put(s, pid, NULL);
}

int sd_address_spaces_fork(struct sd_address_spaces *s, int pid, int parent)
{
	return pid == parent ? 0 : put(s, pid, get(s, parent));
}

/* A space of pid alone, with room for two more maps; NULL: no memory. */
static struct sd_space *own(struct sd_address_spaces *s, int pid)
{
	struct sd_space *space = get(s, pid);
	struct sd_map *map;

	if (!space || space->users > 1) {
		const struct sd_space *const shared = space;

		map = shared && shared->n ? malloc(shared->n * sizeof *map) : NULL;
		if ((shared && shared->n && !map) || put(s, pid, NULL) != 0) {
			free(map);
			return NULL;
		}
		space = get(s, pid);
		if (map) {
			memcpy(map, shared->map, shared->n * sizeof *map);
			space->map = map;
			space->n = space->size = shared->n;
		}
	}
	if (space->n + 2 > space->size) {
		map = realloc(space->map, (space->size * 2 + 8) * sizeof *map);
		if (!map)
			return NULL;
		space->map = map;
		space->size = space->size * 2 + 8;
	}
	return space;
}

/* The number of the first map that ends after `address`. */
static size_t first_after(const struct sd_space *space, uint64_t address)
{
	size_t low = 0, high = space->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (space->map[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int sd_address_spaces_map(struct sd_address_spaces *s, int pid, const struct sd_map *map)
{
	struct sd_space *space;
	struct sd_map kept[3];
	size_t from, to, n;

	if (map->end <= map->start)
		return 0;
	space = own(s, pid);
	if (!space)
		return -ENOMEM;
	from = to = first_after(space, map->start);
	while (to < space->n && space->map[to].start < map->end)
		to++;
	/* of all the overlapped ones only the first can stick out below, the last above */
	n = 0;
	if (from < to && space->map[from].start < map->start) {
		kept[n] = space->map[from];
		kept[n++].end = map->start;
	}
	kept[n++] = *map;
	if (from < to && space->map[to - 1].end > map->end) {
		kept[n] = space->map[to - 1];
		kept[n].offset += map->end - kept[n].start;
		kept[n++].start = map->end;
	}
	memmove(space->map + from + n, space->map + to, (space->n - to) * sizeof *space->map);
	memcpy(space->map + from, kept, n * sizeof *kept);
	space->n = space->n - (to - from) + n;
	return 0;
}

const struct sd_space *sd_address_spaces_of(const struct sd_address_spaces *s, int pid)
{
	return get(s, pid);
}

const struct sd_map *sd_space_at(const struct sd_space *space, uint64_t address)
{
	const size_t i = space ? first_after(space, address) : 0;

	return space && i < space->n && space->map[i].start <= address ? &space->map[i] : NULL;
}

void sd_address_spaces_free(struct sd_address_spaces *s)
{
	for (size_t i = 0; i < s->of.size; i++)
		if (s->of.slot[i].a)
			leave(sd_key_table_pointer(s->of.slot[i].value));
	sd_key_table_free(&s->of);
}
