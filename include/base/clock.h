/* The clocks of samples and runs. */
#ifndef SD_CLOCK_H
#define SD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, ns. */
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

/*
 * The time of day, s since the epoch: as it was at this process's first call, and CLOCK_BOOTTIME
 * since. What lies between two calls of one process is a duration, whatever sets the time of day
 * meanwhile.
 */
double sd_clock_day(void);

#endif
