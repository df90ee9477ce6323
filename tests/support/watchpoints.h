/*
 * Does this machine count watchpoints (PERF_TYPE_BREAKPOINT)? Asked of the kernel, and not of the
 * program under test: some virtual machines take them and never hit one.
 */
#ifndef SD_TESTS_WATCHPOINTS_H
#define SD_TESTS_WATCHPOINTS_H

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WATCHPOINTS_WRITES 100

static inline int watchpoints_count(void)
{
	static _Alignas(8) volatile uint64_t word;
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof attr,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t hits = 0;

	for (unsigned i = 0; fd >= 0 && i < WATCHPOINTS_WRITES; i++)
		word = i;
	if (fd >= 0 && read(fd, &hits, sizeof hits) != sizeof hits)
		hits = 0;
	if (fd >= 0)
		close(fd);
	return hits == WATCHPOINTS_WRITES;
}

#endif
