/*
 * How long threads outside the tree ran on its CPUs, from the switches of whole CPUs. This is
 * exact, while /proc/stat counts in clock ticks and attributes to others what the kernel does for
 * the tree while none of its threads runs (interrupts, freeing the memory of ended threads on an
 * idle CPU). With windows (switch_windows.h) it covers only the windows. It includes kernel threads
 * that work for the tree; kernel_threads.h tells how long they did.
 */
#ifndef SD_FOREIGN_TIME_H
#define SD_FOREIGN_TIME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/trace.h"
#include "trace/kernel_threads.h"
#include "trace/timeline.h"

struct sd_stranger {
	int tid; /* on the CPU now; 0: none, or unknown */
	uint64_t since;
	uint64_t at; /* its last switch */
	size_t gap;  /* the first gap that starts after that */
};

/* Zeroed is the beginning. */
struct sd_foreign_time {
	struct sd_stranger *on; /* owned; one a CPU */
	size_t n;
	struct sd_gap *gap; /* owned; the last may be open: to is 0 */
	size_t n_gap;
	uint64_t ns;
	struct sd_kernel_threads kernel;
};

/* Adds CPU number n. 0 or -ENOMEM. */
int sd_foreign_time_add(struct sd_foreign_time *s);

/* From this time on switches are not recorded, or recorded again. Call before adding later events.
 * 0 or -ENOMEM. */
int sd_foreign_time_shut(struct sd_foreign_time *s, uint64_t time);
void sd_foreign_time_open(struct sd_foreign_time *s, uint64_t time);

void sd_foreign_time_forget(struct sd_foreign_time *s); /* no CPUs, no time */

/* Adds an event of a CPU, by a thread of the tree (`own`) or not; in time order for each CPU.
 * Process `self`, the measuring process, does not count as foreign. */
void sd_foreign_time_event(
	struct sd_foreign_time *s, size_t cpu, const struct sd_event *e, int own, pid_t self);

void sd_foreign_time_free(struct sd_foreign_time *s); /* accepts {0} */

#endif
