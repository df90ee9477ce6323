/*
 * The only access to perf_event_open(2); tests replace it at link time.
 */
#ifndef SD_PERF_EVENT_H
#define SD_PERF_EVENT_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "perf_event/counter_read.h"
#include "base/status.h"

/* A descriptor, close-on-exec, or -errno. `cpu` -1: any. */
int sd_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* The same, in the group led by descriptor `group`; -1: a group of its own. */
int sd_perf_event_open_in(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Reads a counter opened with SD_COUNTER_READ_FORMAT. 0 or -errno; -EIO: short read (an event in
 * error state returns nothing). */
int sd_perf_event_read(int fd, struct sd_counter_read_reading *r);

/* For an event opened with PERF_FORMAT_LOST or without a format: its count, and the number of its
 * records lost to a full ring (0 without the format). 0 or -errno; -EIO as above. */
int sd_perf_event_count(int fd, uint64_t *count, uint64_t *lost);

/* Starts or stops a counter opened disabled, and the group it leads. 0
 * or -errno. */
int sd_perf_event_switch(int fd, int on);

/* Changes the period to n or, if the event was opened with a frequency, the frequency to n a
 * second. 0 or -errno. */
int sd_perf_event_pace(int fd, uint64_t n);

/* Allows that many more samples, after which the event disables itself; re-enables it if it already
 * has. Not for inherited events. 0 or -errno. */
int sd_perf_event_refresh(int fd, int samples);

void sd_perf_event_close(int fd);

#endif
