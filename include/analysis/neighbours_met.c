#include "analysis/neighbours_met.h"

#include <stdio.h>
#include <string.h>

#define MEMORY_LEAST 1e6 /* bytes: less is in the caches of its own core */

enum sd_neighbour_kind sd_neighbour_kind(const struct sd_neighbour *n)
{
	if (n->facts & SD_NEIGHBOUR_REAL_TIME)
		return SD_NEIGHBOUR_KIND_REAL_TIME;
	if (sd_has(n->memory) && n->memory.value >= MEMORY_LEAST)
		return SD_NEIGHBOUR_KIND_MEMORY;
	if (sd_has(n->disk) && n->disk.value >= SD_NEIGHBOUR_LEAST_DISK)
		return SD_NEIGHBOUR_KIND_DISK;
	if (n->facts & SD_NEIGHBOUR_CHILDREN)
		return SD_NEIGHBOUR_KIND_SHORT;
	if (n->facts & SD_NEIGHBOUR_BOUND)
		return SD_NEIGHBOUR_KIND_BOUND;
	return SD_NEIGHBOUR_KIND_CPU;
}

const char *const sd_neighbour_kind_name[SD_NEIGHBOUR_KINDS] = {
	[SD_NEIGHBOUR_KIND_REAL_TIME] = "real-time",
	[SD_NEIGHBOUR_KIND_MEMORY] = "memory",
	[SD_NEIGHBOUR_KIND_DISK] = "disk",
	[SD_NEIGHBOUR_KIND_SHORT] = "short-processes",
	[SD_NEIGHBOUR_KIND_BOUND] = "bound",
	[SD_NEIGHBOUR_KIND_CPU] = "cpu",
};

void sd_neighbour_does(const struct sd_neighbour *n, char *out, size_t size)
{
	switch (sd_neighbour_kind(n)) {
	case SD_NEIGHBOUR_KIND_REAL_TIME:
		snprintf(out, size, "runs at a real-time priority, before all else");
		break;
	case SD_NEIGHBOUR_KIND_MEMORY:
		snprintf(
			out, size, "goes through memory, %.0f MB at least", n->memory.value * 1e-6);
		break;
	case SD_NEIGHBOUR_KIND_DISK:
		snprintf(out, size, "reads and writes the disk, %.0f MB/s", n->disk.value * 1e-6);
		break;
	case SD_NEIGHBOUR_KIND_SHORT:
		snprintf(out, size, "starts processes that soon end");
		break;
	case SD_NEIGHBOUR_KIND_BOUND:
		snprintf(out, size, "is bound to CPUs of these runs");
		break;
	default:
		snprintf(out, size, "computes");
	}
}

static struct sd_value larger(struct sd_value a, struct sd_value b)
{
	return sd_has(a) && (!sd_has(b) || a.value > b.value) ? a : b;
}

static void add(struct sd_neighbours_met *m, const struct sd_neighbour *n)
{
	size_t i = 0;

	while (i < m->n &&
		(m->row[i].who.pid != n->pid || strcmp(m->row[i].who.name, n->name) != 0))
		i++;
	if (i == m->n) {
		if (m->n == SD_NEIGHBOURS_MET)
			return;
		m->row[m->n++] = (struct sd_neighbour_met){.who = *n};
		m->row[i].who.cpu = SD_OK(0);
	}
	m->row[i].runs++;
	m->row[i].who.cpu.value += sd_has(n->cpu) ? n->cpu.value : 0;
	m->row[i].who.facts |= n->facts;
	m->row[i].who.disk = larger(m->row[i].who.disk, n->disk);
	m->row[i].who.memory = larger(m->row[i].who.memory, n->memory);
}

/* Those that took most over all runs come first. */
static void sort(struct sd_neighbours_met *m)
{
	for (size_t i = 1; i < m->n; i++) {
		const struct sd_neighbour_met x = m->row[i];
		size_t at = i;

		for (; at > 0 && m->row[at - 1].who.cpu.value < x.who.cpu.value; at--)
			m->row[at] = m->row[at - 1];
		m->row[at] = x;
	}
}

void sd_neighbours_met(const struct sd_record *r, struct sd_neighbours_met *out)
{
	*out = (struct sd_neighbours_met){.n = 0};
	for (size_t i = 0; i < r->n_run; i++)
		for (size_t k = 0; k < r->run[i].n_neighbour; k++)
			add(out, &r->run[i].neighbour[k]);
	sort(out);
	for (size_t i = 0; i < out->n; i++)
		out->row[i].who.cpu.value /= out->row[i].runs;
}
