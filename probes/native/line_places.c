#include "native/line_places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint64_t distance(const struct sd_data_map *m, uint64_t address)
{
	return address < m->start  ? m->start - address
	       : address >= m->end ? address - m->end + 1
				   : 0;
}

/* The mapping with a name that holds the address, or else is nearest. */
static const struct sd_data_map *nearest(const struct sd_data_maps *m, int pid, uint64_t address)
{
	const struct sd_data_map *found = NULL;

	for (size_t i = m->n; i-- > 0;)
		if (m->map[i].pid == pid && *m->map[i].name && !m->map[i].fixed &&
			(!found || distance(&m->map[i], address) < distance(found, address)))
			found = &m->map[i];
	return found;
}

static void add(struct sd_line_places *p, const struct sd_data_maps *m, int pid, uint64_t address)
{
	const struct sd_data_map *const map = nearest(m, pid, address);
	struct sd_line_place *const to = &p->place[p->n];

	if (!map || strlen(map->name) >= sizeof to->name)
		return;
	*to = (struct sd_line_place){.offset = map->offset, .away = address - map->start};
	snprintf(to->name, sizeof to->name, "%s", map->name);
	p->n++;
}

void sd_line_places_choose(struct sd_line_places *p, const struct sd_native_lines *run,
	double wall_s, const struct sd_data_maps *m)
{
	struct sd_line_places found = {.n = 0};

	/* those that this run watched have had their turn */
	for (int watched = 0; watched < 2; watched++)
		for (size_t i = 0; run && i < run->n_line && found.n < SD_LINE_PLACES; i++) {
			const struct sd_native_line *const l = &run->line[i];

			if (l->line.n_sharer && sd_has(l->proven) == watched &&
				sd_native_lines_is_unsure(run, l, wall_s))
				add(&found, m, run->thread[l->line.sharer[0].thread].pid,
					l->line.address);
		}
	if (found.n)
		*p = found;
}

int sd_line_places_find(const struct sd_line_place *p, const struct sd_data_maps *m, size_t *n,
	int *pid, uint64_t *address)
{
	while (*n > 0) {
		const struct sd_data_map *const map = &m->map[--*n];

		if (map->fixed || map->offset != p->offset || strcmp(map->name, p->name) != 0)
			continue;
		*pid = map->pid;
		*address = map->start + p->away;
		return 0;
	}
	return -ENOENT;
}
