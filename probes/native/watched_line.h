/*
 * A line whose words are watched, and what was counted.
 */
#ifndef SD_WATCHED_LINE_H
#define SD_WATCHED_LINE_H

#include <stdint.h>

#include "base/status.h"

#define SD_LINE_WATCH_THREADS 32u /* of a process; one of more is not watched */
#define SD_LINE_WATCH_WORDS 8u    /* of 8 bytes, in a line */
#define SD_LINE_WATCH_REGISTERS                                                               \
	4u                     /* words watched at once: debug registers of x86 CPUs, and the \
				  least of aarch64's */
#define SD_LINE_WATCH_KINDS 4u /* windows: written words 0-3, 4-7; touched words 0-3, 4-7 */

#define SD_LINE_WATCH_WINDOW_S .001

struct sd_watched_line {
	int pid;
	uint64_t address;
	enum sd_status status; /* ok: it was watched; else why not */
	int tid[SD_LINE_WATCH_THREADS];
	unsigned n_thread;
	double seconds[SD_LINE_WATCH_KINDS];
	/* Each thread's: s of windows in which it had a CPU or wanted none, and s with one. */
	double seen[SD_LINE_WATCH_KINDS][SD_LINE_WATCH_THREADS];
	double ran[SD_LINE_WATCH_KINDS][SD_LINE_WATCH_THREADS];
	/* [written, else touched][word][thread] */
	uint64_t hits[2][SD_LINE_WATCH_WORDS][SD_LINE_WATCH_THREADS];
	unsigned windows; /* so far */
};

#endif
