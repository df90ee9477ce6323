#include "native/data_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "proc/proc_parse.h"

#define LINES_MOST 4096 /* of a process's map that are read */

/* ---- the table ------------------------------------------------------------------------------- */

/* The same memory, which may have become longer: the heap grows. */
static int is_same(const struct sd_data_map *a, const struct sd_data_map *b, const char *name)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->offset == b->offset && a->shared == b->shared && a->fixed == b->fixed &&
	       strcmp(a->name, name) == 0;
}

static int add(struct sd_data_maps *m, struct sd_data_map map, const char *name)
{
	uint64_t *const slot =
		sd_key_table_add(&m->newest, (uint64_t)(unsigned)map.pid + 1, map.start);
	struct sd_data_map *grown;
	struct sd_data_map *const known = slot && *slot ? &m->map[*slot - 1] : NULL;

	if (known && is_same(known, &map, name)) {
		known->end = map.end > known->end ? map.end : known->end;
		return 0;
	}
	if (slot && m->n == SD_DATA_MAPS_MOST)
		return 0;
	grown = slot ? sd_one_more(m->map, m->n, sizeof *grown) : NULL;
	m->map = grown ? grown : m->map;
	map.name = grown ? strdup(name) : NULL;
	if (!map.name)
		return -ENOMEM;
	m->map[m->n++] = map;
	*slot = m->n;
	return 0;
}

int sd_data_maps_add(struct sd_data_maps *m, const struct sd_event *e)
{
	const struct sd_data_map map = {.pid = e->pid,
		.shared = e->count & 1,
		.fixed = (e->count & 2) != 0,
		.start = e->address,
		.end = e->address + e->size,
		.offset = e->offset,
		.major = e->major,
		.minor = e->minor,
		.inode = e->inode};

	return map.end < map.start ? 0 : add(m, map, e->name ? e->name : "");
}

struct sd_event sd_data_maps_event(const struct sd_data_maps *m, size_t i, uint64_t time)
{
	const struct sd_data_map *const map = &m->map[i];

	return (struct sd_event){.kind = SD_EVENT_DATA,
		.pid = map->pid,
		.tid = map->pid,
		.time = time,
		.address = map->start,
		.size = map->end - map->start,
		.offset = map->offset,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
		.name = map->name,
		.count = (map->shared ? 1 : 0) | (map->fixed ? 2 : 0)};
}

/* ---- /proc ----------------------------------------------------------------------------------- */

/* Adds one line of /proc/PID/maps: memory that is read, and code of no file. */
static int add_line(struct sd_data_maps *m, struct sd_code_copies *code, int pid, char *line)
{
	struct sd_proc_map at;
	struct sd_data_map map;
	int rc = 0;

	if (sd_proc_parse_map(line, &at))
		return 0;
	map = (struct sd_data_map){.pid = pid,
		.shared = at.perms[3] == 's',
		.fixed = at.perms[1] != 'w' && at.perms[3] != 's',
		.start = at.start,
		.end = at.end,
		.offset = at.offset,
		.major = at.major,
		.minor = at.minor,
		.inode = at.inode};
	if (at.perms[2] == 'x' && !at.inode && *at.name != '[')
		rc = sd_code_copies_note(code, pid, at.start, at.end);
	return rc || (map.fixed && at.perms[0] != 'r') ? rc : add(m, map, at.name);
}

static FILE *open_of(const char *root, int pid, const char *what)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/proc/%d/%s", root ? root : "", pid, what);
	return fopen(path, "re");
}

/* Has its memory another size than at the last look? */
static int has_changed(struct sd_data_maps *m, const char *root, int pid)
{
	FILE *const f = open_of(root, pid, "statm");
	uint64_t *const slot = sd_key_table_add(&m->sizes, (uint64_t)(unsigned)pid + 1, 0);
	uint64_t pages = 0;
	int changed = 0;

	if (f && slot && fscanf(f, "%" SCNu64, &pages) == 1 && *slot != pages + 1) {
		*slot = pages + 1;
		changed = 1;
	}
	if (f)
		fclose(f);
	return changed;
}

static int read_maps(struct sd_data_maps *m, struct sd_code_copies *code, const char *root, int pid)
{
	FILE *const f = open_of(root, pid, "maps");
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	for (int n = 0; f && rc == 0 && n < LINES_MOST && getline(&line, &size, f) > 0; n++)
		rc = add_line(m, code, pid, line);
	free(line);
	if (f)
		fclose(f);
	return rc;
}

/* Adds the children of a process to the list; how many it has then. */
static unsigned add_children(const char *root, int *pid, unsigned n, unsigned at)
{
	char what[64];
	FILE *f;

	snprintf(what, sizeof what, "task/%d/children", pid[at]);
	f = open_of(root, pid[at], what);
	while (f && n < SD_DATA_MAPS_PROCESSES && fscanf(f, "%d", &pid[n]) == 1)
		n++;
	if (f)
		fclose(f);
	return n;
}

int sd_data_maps_look(
	struct sd_data_maps *m, struct sd_code_copies *code, const char *root, int first)
{
	int pid[SD_DATA_MAPS_PROCESSES] = {first};
	unsigned n = 1;
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		n = add_children(root, pid, n, i);
		if (has_changed(m, root, pid[i]))
			rc = read_maps(m, code, root, pid[i]);
	}
	return rc;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int holds(const struct sd_data_map *map, int pid, uint64_t address)
{
	return map->pid == pid && address >= map->start && address < map->end;
}

const struct sd_data_map *sd_data_maps_at(const struct sd_data_maps *m, int pid, uint64_t address)
{
	for (size_t i = m->n; i-- > 0;)
		if (holds(&m->map[i], pid, address) && !m->map[i].fixed)
			return &m->map[i];
	return NULL;
}

int sd_data_maps_may_write(const struct sd_data_maps *m, int pid, uint64_t address)
{
	for (size_t i = m->n; i-- > 0;)
		if (holds(&m->map[i], pid, address))
			return !m->map[i].fixed;
	return 1;
}

void sd_data_maps_name(const struct sd_data_map *map, uint64_t address, char *out, size_t size)
{
	const uint64_t in = address - map->start, bytes = map->end - map->start;

	if (*map->name)
		snprintf(out, size, "%s+0x%" PRIx64, map->name, map->inode ? map->offset + in : in);
	else if (bytes >= 1 << 20)
		snprintf(out, size, "anonymous memory of %" PRIu64 " MiB+0x%" PRIx64, bytes >> 20,
			in);
	else
		snprintf(out, size, "anonymous memory of %" PRIu64 " KiB+0x%" PRIx64, bytes >> 10,
			in);
}

void sd_data_maps_free(struct sd_data_maps *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->map[i].name);
	free(m->map);
	sd_key_table_free(&m->newest);
	sd_key_table_free(&m->sizes);
	*m = (struct sd_data_maps){0};
}
