/*
 * Which code runs only while nothing else does? To the scheduler serial code and the late share of
 * a parallel part look alike: one runner, the others wait. But code that only one thread ever runs
 * at a time is serial, whoever runs it and wherever the others wait (even inside a region, as
 * OpenMP's single and master), while a late peer runs what its peers ran beside it.
 *
 * Code is distinguished by call path: a function called from a serial and from a parallel place is
 * two, but code called by a runtime of parallel regions is one, whichever thread runs it. Within a
 * function a line decides if it differs significantly from its function, else the function as a
 * whole does. Code that two threads were seen in at once (concurrent_code.h) is not serial, however
 * briefly that was. The kernel's samples in an interrupt are of the code that it stopped.
 */
#ifndef SD_SERIAL_PATHS_H
#define SD_SERIAL_PATHS_H

#include "record/stacks.h"
#include "attribute/concurrent_code.h"
#include "attribute/stack_times.h"

enum sd_path {
	SD_PATH_UNKNOWN, /* not sampled in useful code */
	SD_PATH_ALONE,   /* its code runs only while nothing else does */
	SD_PATH_BESIDE,  /* it also runs beside others */
};

struct sd_serial_paths {
	unsigned char *path; /* owned; enum sd_path, by node */
	size_t n;
};

/*
 * Uses the useful rows, their time and how much of it was alone (struct sd_use: seconds, solo).
 * `stacks` NULL: no nodes are known. 0 or -ENOMEM; must be freed in either case.
 */
int sd_serial_paths_make(struct sd_serial_paths *p, const struct sd_stack_times *uses,
	const struct sd_stacks *stacks, const struct sd_concurrent_code *twins);

/* The nodes marked in is[n] are serial code by other evidence. */
void sd_serial_paths_serial(struct sd_serial_paths *p, const unsigned char *is, size_t n);

enum sd_path sd_serial_paths_of(const struct sd_serial_paths *p, unsigned node);

void sd_serial_paths_free(struct sd_serial_paths *p); /* accepts the zeroed value */

#endif
