#include "native/shared_lines.h"

#include <errno.h>
#include <stdlib.h>

#define OF_FILE (UINT64_C(1) << 63) /* numbers of processes' memory are smaller */

static uint64_t number_of(const struct sd_data_map *m)
{
	const uint64_t device = (uint64_t)m->major << 20 | m->minor;

	return OF_FILE | (m->inode ^ device * UINT64_C(0x9e3779b97f4a7c15));
}

static int by_place(const void *a, const void *b)
{
	const struct sd_data_map *const x = *(struct sd_data_map *const *)a;
	const struct sd_data_map *const y = *(struct sd_data_map *const *)b;

	if (x->pid != y->pid)
		return (x->pid > y->pid) - (x->pid < y->pid);
	return (x->start > y->start) - (x->start < y->start);
}

int sd_shared_lines_make(struct sd_shared_lines *s, const struct sd_data_maps *m)
{
	s->map = calloc(m->n + 1, sizeof *s->map);
	if (!s->map)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		if (m->map[i].shared && m->map[i].inode)
			s->map[s->n++] = &m->map[i];
	if (s->n)
		qsort(s->map, s->n, sizeof *s->map, by_place);
	return 0;
}

void sd_shared_lines_place(
	const struct sd_shared_lines *s, int pid, uint64_t *space, uint64_t *address)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		const size_t i = low + (high - low) / 2;
		const struct sd_data_map *const m = s->map[i];

		if (m->pid < pid || (m->pid == pid && m->end <= *address))
			low = i + 1;
		else
			high = i;
	}
	if (low == s->n || s->map[low]->pid != pid || s->map[low]->start > *address)
		return;
	*space = number_of(s->map[low]);
	*address = s->map[low]->offset + (*address - s->map[low]->start);
}

const struct sd_data_map *sd_shared_lines_map(
	const struct sd_shared_lines *s, uint64_t space, uint64_t offset)
{
	for (size_t i = 0; space & OF_FILE && i < s->n; i++)
		if (number_of(s->map[i]) == space && offset >= s->map[i]->offset &&
			offset - s->map[i]->offset < s->map[i]->end - s->map[i]->start)
			return s->map[i];
	return NULL;
}

void sd_shared_lines_free(struct sd_shared_lines *s)
{
	free(s->map);
	*s = (struct sd_shared_lines){0};
}
