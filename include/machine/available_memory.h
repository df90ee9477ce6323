/*
 * How much memory there is to measure in.
 */
#ifndef SD_AVAILABLE_MEMORY_H
#define SD_AVAILABLE_MEMORY_H

#include <stdint.h>

/* Bytes that may be used without pushing anything out: MemAvailable, what the tightest memory
 * cgroup and what `ulimit -v` still allow. 0 when it cannot be read. */
uint64_t sd_available_memory(void);

#endif
