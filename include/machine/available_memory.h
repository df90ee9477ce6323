/*
 * How much memory a measurement may use.
 */
#ifndef SD_AVAILABLE_MEMORY_H
#define SD_AVAILABLE_MEMORY_H

#include <stdint.h>

/* Bytes that can be allocated without reclaiming anything: the least of MemAvailable, the room left
 * in the tightest memory cgroup, and in `ulimit -v`. 0 if unreadable. */
uint64_t sd_available_memory(void);

#endif
