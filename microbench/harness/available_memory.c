#include "harness/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/available_memory.h"
#include "base/number.h"

#define NO_LIMIT UINT64_MAX

/* The number a file begins with; NO_LIMIT for "max", a file that is not there or not a number. */
static uint64_t file_number(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[64] = "";
	uint64_t v;

	if (!f)
		return NO_LIMIT;
	if (!fgets(line, sizeof line, f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return sd_number_u64(line, 0, UINT64_MAX, &v) == 0 ? v : NO_LIMIT;
}

static uint64_t mem_available(const char *root)
{
	char path[4096], line[128], number[32];
	uint64_t kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/meminfo", root);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f)) {
		const char *p = line + strlen("MemAvailable:");
		size_t digits;

		if (strncmp(line, "MemAvailable:", strlen("MemAvailable:")) != 0)
			continue;
		p += strspn(p, " ");
		digits = strspn(p, "0123456789");
		if (digits == 0 || digits >= sizeof number)
			break;
		memcpy(number, p, digits);
		number[digits] = '\0';
		if (sd_number_u64(number, 0, UINT64_MAX >> 11, &kib) != 0)
			kib = 0;
		break;
	}
	fclose(f);
	return kib * 1024;
}

/* Bytes that one memory group still allows. */
static uint64_t group_left(const char *folder, const char *limit_name, const char *used_name)
{
	char path[4400];
	uint64_t limit, used;

	snprintf(path, sizeof path, "%s/%s", folder, limit_name);
	limit = file_number(path);
	snprintf(path, sizeof path, "%s/%s", folder, used_name);
	used = file_number(path);
	if (limit == NO_LIMIT)
		return NO_LIMIT;
	return used == NO_LIMIT ? limit : limit > used ? limit - used : 0;
}

/* From this process's group up to the root of the hierarchy: the least that is left. */
static uint64_t groups_left(
	const char *root, const char *mount, char *group, const char *limit, const char *used)
{
	uint64_t left = NO_LIMIT;

	for (;;) {
		char folder[4300];
		char *slash;
		uint64_t here;

		snprintf(folder, sizeof folder, "%s%s%s", root, mount, group);
		here = group_left(folder, limit, used);
		left = here < left ? here : left;
		slash = strrchr(group, '/');
		if (!slash)
			return left;
		*slash = '\0';
	}
}

static uint64_t cgroup_left(const char *root)
{
	char path[4096], line[2048];
	uint64_t left = NO_LIMIT;
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	f = fopen(path, "re");
	if (!f)
		return left;
	while (fgets(line, sizeof line, f)) {
		char *controllers = strchr(line, ':'), *group;
		uint64_t here = NO_LIMIT;

		line[strcspn(line, "\n")] = '\0';
		if (!controllers || !(group = strchr(controllers + 1, ':')))
			continue;
		*group++ = '\0';
		if (controllers[1] == '\0')
			here = groups_left(
				root, "/sys/fs/cgroup", group, "memory.max", "memory.current");
		else if (strcmp(controllers + 1, "memory") == 0)
			here = groups_left(root, "/sys/fs/cgroup/memory", group,
				"memory.limit_in_bytes", "memory.usage_in_bytes");
		left = here < left ? here : left;
	}
	fclose(f);
	return left;
}

/* Bytes that `ulimit -v` still lets this process map. */
static uint64_t address_space_left(void)
{
	char line[128] = "";
	struct rlimit limit;
	uint64_t pages = 0;
	FILE *f;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return NO_LIMIT;
	f = fopen("/proc/self/statm", "re");
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	if (f)
		fclose(f);
	line[strcspn(line, " \n")] = '\0';
	if (sd_number_u64(line, 0, UINT64_MAX >> 20, &pages) != 0)
		return limit.rlim_cur;
	pages *= (uint64_t)sysconf(_SC_PAGESIZE);
	return limit.rlim_cur > pages ? limit.rlim_cur - pages : 0;
}

uint64_t sd_available_memory_arena(const char *root)
{
	const uint64_t machine = mem_available(root ? root : ""),
		       group = cgroup_left(root ? root : ""), own = address_space_left();
	const uint64_t left = group < machine ? group : machine;

	return own < left ? own : left;
}

uint64_t sd_available_memory(void)
{
	return sd_available_memory_arena(NULL);
}
