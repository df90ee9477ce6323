#include "threads/affinity_check.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

static int outside_by_call(int tid, const struct sd_cpulist *cpus)
{
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *const set = CPU_ALLOC(SD_CPU_MAX);
	int rc;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	rc = sched_getaffinity(tid, size, set) ? -errno : 0;
	for (size_t i = 0; i < cpus->n && !rc; i++)
		CPU_CLR_S(cpus->cpu[i], size, set);
	if (!rc)
		rc = CPU_COUNT_S(size, set) > 0;
	CPU_FREE(set);
	return rc;
}

static int outside_by_file(const char *root, int pid, int tid, const struct sd_cpulist *cpus)
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
	for (size_t i = 0; i < allowed.n && !rc; i++)
		rc = !sd_cpulist_has(cpus, allowed.cpu[i]);
	sd_cpulist_free(&allowed);
	return rc;
}

int sd_affinity_check_strays(const char *root, int pid, int tid, const struct sd_cpulist *cpus)
{
	return *root ? outside_by_file(root, pid, tid, cpus) : outside_by_call(tid, cpus);
}
