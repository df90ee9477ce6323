#include "threads/affinity_check.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

/* CPU time that makes a CPU one that the program uses: of all, the rest is start and end. */
#define USES .02

static int outside_by_call(int tid, const struct sd_cpulist *cpus, unsigned char *open)
{
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *const set = CPU_ALLOC(SD_CPU_MAX);
	int rc;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	rc = sched_getaffinity(tid, size, set) ? -errno : 0;
	for (size_t i = 0; i < cpus->n && !rc; i++) {
		open[i] = CPU_ISSET_S(cpus->cpu[i], size, set) != 0;
		CPU_CLR_S(cpus->cpu[i], size, set);
	}
	if (!rc)
		rc = CPU_COUNT_S(size, set) > 0;
	CPU_FREE(set);
	return rc;
}

static int outside_by_file(
	const char *root, int pid, int tid, const struct sd_cpulist *cpus, unsigned char *open)
{
	char path[64], text[8192], list[4096];
	struct sd_cpulist allowed = {0};
	int rc;

	snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
	rc = sd_textfile_read(root, path, text, sizeof text);
	if (!rc)
		rc = sd_proc_parse_key(text, "Cpus_allowed_list:", list, sizeof list);
	if (!rc)
		rc = sd_cpulist_parse(list, &allowed);
	for (size_t i = 0; i < cpus->n && !rc; i++)
		open[i] = (unsigned char)sd_cpulist_has(&allowed, cpus->cpu[i]);
	for (size_t i = 0; i < allowed.n && !rc; i++)
		rc = !sd_cpulist_has(cpus, allowed.cpu[i]);
	sd_cpulist_free(&allowed);
	return rc;
}

int sd_affinity_check_begin(struct sd_affinity_check *a, const struct sd_cpulist *cpus)
{
	*a = (struct sd_affinity_check){.cpus = cpus};
	a->open = calloc(cpus->n + 1, sizeof *a->open);
	a->seconds = calloc(cpus->n + 1, sizeof *a->seconds);
	return sd_bound_waits_begin(&a->waits, cpus) || !a->open || !a->seconds ? -ENOMEM : 0;
}

void sd_affinity_check_end(struct sd_affinity_check *a)
{
	free(a->open);
	free(a->seconds);
	sd_bound_waits_end(&a->waits);
	*a = (struct sd_affinity_check){0};
}

int sd_affinity_check_strays(
	struct sd_affinity_check *a, const char *root, struct sd_thread_state *t)
{
	const int rc = *root ? outside_by_file(root, t->pid, t->tid, a->cpus, a->open)
			     : outside_by_call(t->tid, a->cpus, a->open);
	const double seconds = t->run - t->run_checked;
	size_t open = 0;

	for (size_t i = 0; i < a->cpus->n && rc >= 0; i++) {
		a->seconds[i] += a->open[i] ? seconds : 0;
		open += a->open[i] != 0;
	}
	a->all += rc >= 0 ? seconds : 0;
	t->bound = rc == 0 && open == 1 && a->cpus->n > 1;
	t->run_checked = t->run;
	return rc;
}

struct sd_value sd_affinity_check_usable(const struct sd_affinity_check *a)
{
	unsigned n = 0;

	for (size_t i = 0; i < a->cpus->n; i++)
		n += a->seconds[i] >= USES * a->all;
	return a->all > 0 ? SD_OK(n) : SD_NOT(ABSENT);
}
