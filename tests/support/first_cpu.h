/*
 * A CPU that this process may use. After cmocka.h.
 */
#ifndef SD_FIRST_CPU_H
#define SD_FIRST_CPU_H

#include <sched.h>

#include "base/cpulist.h"

/* The first CPU of this process's affinity, as a list of one. */
static inline struct sd_cpulist first_cpu(void)
{
	struct sd_cpulist list = {0};
	cpu_set_t *set = CPU_ALLOC(SD_CPU_MAX);
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	unsigned cpu = 0;

	assert_non_null(set);
	assert_int_equal(sched_getaffinity(0, size, set), 0);
	while (!CPU_ISSET_S(cpu, size, set))
		cpu++;
	CPU_FREE(set);
	assert_int_equal(sd_cpulist_add(&list, cpu), 0);
	return list;
}

#endif
