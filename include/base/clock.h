/* CLOCK_MONOTONIC, the clock of samples and runs. */
#ifndef SD_CLOCK_H
#define SD_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t sd_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double sd_clock_s(void)
{
	return (double)sd_clock_ns() * 1e-9;
}

#endif
