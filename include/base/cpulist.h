/*
 * A list of CPUs by kernel number (hwloc: PU os_index). Sorted it is a set, in any other order a
 * placement.
 */
#ifndef SD_CPULIST_H
#define SD_CPULIST_H

#include <stddef.h>

struct sd_cpulist {
	unsigned *cpu; /* owned */
	size_t n;
};

/* Kernel CPU numbers are below this (NR_CPUS of the largest kernels is 8192; room for more). */
#define SD_CPU_MAX 65536u

/* Appends; 0 or -ENOMEM (list unchanged). */
int sd_cpulist_add(struct sd_cpulist *list, unsigned cpu);

/*
 * Parses the kernel's list format ("0-3,8"; "" is the empty list) and keeps its order. 0; -EINVAL
 * for a malformed list, a CPU >= SD_CPU_MAX, a descending range, or more than SD_CPU_MAX entries (a
 * short text must not expand to gigabytes); -ENOMEM. *out is empty on failure.
 */
int sd_cpulist_parse(const char *text, struct sd_cpulist *out);

/* The list as text, consecutive CPUs joined to ranges. The caller frees it; NULL: out of memory. */
char *sd_cpulist_format(const struct sd_cpulist *list);

int sd_cpulist_copy(const struct sd_cpulist *from, struct sd_cpulist *to);
int sd_cpulist_has(const struct sd_cpulist *list, unsigned cpu);
void sd_cpulist_free(struct sd_cpulist *list); /* leaves the empty list; accepts it */

#endif
