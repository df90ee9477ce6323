/*
 * Which code runs only while nobody else does? Serial code and the late share of a parallel part
 * look alike to the scheduler: one runner, the others wait. But code that is only ever run by one
 * thread at a time is serial, whoever runs it and wherever the others wait (also in a region, as
 * OpenMP's single and master); and a late peer runs what its peers ran beside it.
 *
 * Told apart by call path: a function called from a serial and from a parallel place is two; but
 * what a runtime of parallel regions calls is one, whichever thread runs it. Within a function the
 * line decides where it is another case than the function beyond chance, else the function as a
 * whole. Code that two threads were seen in at once (concurrent_code.h) is not serial, however
 * little of its time that was.
 */
#ifndef SD_SERIAL_PATHS_H
#define SD_SERIAL_PATHS_H

#include "record/stacks.h"
#include "attribute/concurrent_code.h"
#include "attribute/stack_times.h"

enum sd_path {
	SD_PATH_UNKNOWN, /* not sampled in useful code */
	SD_PATH_ALONE,   /* its code runs only while nobody else does */
	SD_PATH_BESIDE,  /* it also runs beside others */
};

struct sd_serial_paths {
	unsigned char *path; /* owned; enum sd_path, by node */
	size_t n;
};

/*
 * From the useful rows, their time and how much of it was alone (struct sd_use, seconds and solo).
 * `stacks` NULL: no node is known. 0 or -ENOMEM; to be freed in either case.
 */
int sd_serial_paths_make(struct sd_serial_paths *p, const struct sd_stack_times *uses,
	const struct sd_stacks *stacks, const struct sd_concurrent_code *twins);

/* The nodes marked in is[n] are of serial code, by other evidence. */
void sd_serial_paths_serial(struct sd_serial_paths *p, const unsigned char *is, size_t n);

enum sd_path sd_serial_paths_of(const struct sd_serial_paths *p, unsigned node);

void sd_serial_paths_free(struct sd_serial_paths *p); /* accepts the zeroed value */

#endif
