/*
 * How long threads outside the tree ran on its CPUs, by the switches of whole CPUs: exact, where
 * /proc/stat counts in clock ticks, and takes what the kernel does for the tree while no thread of
 * it runs (interrupts, and memory of ended threads that an idle CPU frees) for somebody's. Where
 * switches are recorded in windows (switch_windows.h), of the windows alone. Threads of the kernel
 * that work for the tree are among them; how long, kernel_threads.h says.
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
	int tid; /* on the CPU now; 0: none, or not known */
	uint64_t since;
	uint64_t at; /* its last switch */
	size_t gap;  /* the first gap that begins after that */
};

/* Zeroed is the beginning. */
struct sd_foreign_time {
	struct sd_stranger *on; /* owned; one a CPU */
	size_t n;
	struct sd_gap *gap; /* owned; the last may not have ended: to is 0 */
	size_t n_gap, room_gap;
	uint64_t ns;
	struct sd_kernel_threads kernel;
};

/* Another CPU to look at, number n. 0 or -ENOMEM. */
int sd_foreign_time_add(struct sd_foreign_time *s);

/* From this time on switches are not recorded, or again. Before the events that came after it. 0 or
 * -ENOMEM. */
int sd_foreign_time_shut(struct sd_foreign_time *s, uint64_t time);
void sd_foreign_time_open(struct sd_foreign_time *s, uint64_t time);

void sd_foreign_time_forget(struct sd_foreign_time *s); /* no CPUs, no time */

/* An event of a CPU, by a thread of the tree (`own`) or not; those of one CPU in the order of time.
 * Process `self` is no stranger: it is the one that looks on. */
void sd_foreign_time_event(
	struct sd_foreign_time *s, size_t cpu, const struct sd_event *e, int own, pid_t self);

void sd_foreign_time_free(struct sd_foreign_time *s); /* accepts {0} */

#endif
