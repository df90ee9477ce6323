#include "launch/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Room for every CPU number there can be: the kernel refuses a shorter mask than its own. */
struct sd_affinity_set {
	unsigned long word[SD_CPU_MAX / (8 * sizeof(unsigned long))];
};

#define SET_SIZE sizeof(struct sd_affinity_set)

static cpu_set_t *bits(struct sd_affinity_set *s)
{
	return (cpu_set_t *)(void *)s->word;
}

static int get(pid_t tid, struct sd_affinity_set *s)
{
	memset(s, 0, sizeof *s);
	return sched_getaffinity(tid, SET_SIZE, bits(s)) ? -errno : 0;
}

static void fill(struct sd_affinity_set *s, const struct sd_cpulist *cpus)
{
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->cpu[i] < SD_CPU_MAX)
			CPU_SET_S(cpus->cpu[i], SET_SIZE, bits(s));
}

int sd_affinity_bind(pid_t pid, const struct sd_cpulist *cpus, unsigned *missing)
{
	struct sd_affinity_set set;
	int rc;

	*missing = cpus->n ? cpus->cpu[0] : 0;
	fill(&set, cpus);
	if (sched_setaffinity(pid, SET_SIZE, bits(&set)))
		return errno == EINVAL ? -ENODEV : -errno;
	rc = get(pid, &set);
	for (size_t i = 0; !rc && i < cpus->n; i++)
		if (!CPU_ISSET_S(cpus->cpu[i], SET_SIZE, bits(&set))) {
			*missing = cpus->cpu[i];
			rc = -ENODEV;
		}
	return rc;
}

struct sd_affinity_set *sd_affinity_aside(const struct sd_cpulist *cpus)
{
	struct sd_affinity_set *before = malloc(sizeof *before), set;

	if (!before || get(0, before))
		goto none;
	set = *before;
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->cpu[i] < SD_CPU_MAX)
			CPU_CLR_S(cpus->cpu[i], SET_SIZE, bits(&set));
	if (CPU_COUNT_S(SET_SIZE, bits(&set)) > 0 &&
		sched_setaffinity(0, SET_SIZE, bits(&set)) == 0)
		return before;
none:
	free(before);
	return NULL;
}

void sd_affinity_back(struct sd_affinity_set *before)
{
	/* fails only when all of them have gone meanwhile: then the kernel has chosen others */
	if (before)
		(void)!sched_setaffinity(0, SET_SIZE, bits(before));
	free(before);
}
