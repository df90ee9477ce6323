#include "launch/held_cpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

static int same(const struct sd_cpulist *a, const struct sd_cpulist *b)
{
	return a->n == b->n && memcmp(a->cpu, b->cpu, a->n * sizeof *a->cpu) == 0;
}

/* The group of these CPUs, made when they come first; NULL without memory. */
static struct sd_held_cpus_group *group_of(struct sd_held_cpus *h, const struct sd_cpulist *cpus)
{
	struct sd_held_cpus_group fresh = {0}, *g;

	for (size_t i = 0; i < h->n; i++)
		if (same(&h->group[i].cpus, cpus))
			return &h->group[i];
	if (sd_cpulist_copy(cpus, &fresh.cpus))
		return NULL;
	if (SD_APPEND(h->group, h->n, &fresh)) {
		sd_cpulist_free(&fresh.cpus);
		return NULL;
	}
	g = &h->group[h->n - 1];
	/* not being able to hold is no error: a probe sees threads that leave */
	g->made = sd_private_cgroup_cpuset(&g->group, cpus) == 0;
	return g;
}

const struct sd_private_cgroup *sd_held_cpus_of(
	struct sd_held_cpus *h, const struct sd_cpulist *cpus)
{
	const struct sd_held_cpus_group *const g = group_of(h, cpus);

	return g && g->made ? &g->group : NULL;
}

void sd_held_cpus_close(struct sd_held_cpus *h)
{
	for (size_t i = 0; i < h->n; i++) {
		/* what stays is removed by the next one */
		if (h->group[i].made)
			(void)sd_private_cgroup_close(&h->group[i].group);
		sd_cpulist_free(&h->group[i].cpus);
	}
	free(h->group);
	*h = (struct sd_held_cpus){0};
}
