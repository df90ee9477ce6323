/*
 * The one door to perf_event_open(2): tests put another behind it at link time.
 */
#ifndef SD_PERF_EVENT_H
#define SD_PERF_EVENT_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "perf_event/counter_read.h"
#include "base/status.h"

/* A descriptor, close-on-exec, or -errno. `cpu` -1: any. */
int sd_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* The same, in the group that descriptor `group` leads; -1: its own group. */
int sd_perf_event_open_in(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Reads a counter opened with SD_COUNTER_READ_FORMAT. 0 or -errno; -EIO: less than a reading (an
 * event in error state reads nothing). */
int sd_perf_event_read(int fd, struct sd_counter_read_reading *r);

/* Of an event opened with PERF_FORMAT_LOST or no format at all: what it has counted, and its
 * records that a full ring had no room for (0 without the format). 0 or -errno; -EIO as above. */
int sd_perf_event_count(int fd, uint64_t *count, uint64_t *lost);

/* Starts or stops a counter that was opened disabled, and with it the group it leads. 0 or -errno.
 */
int sd_perf_event_switch(int fd, int on);

/* From now on every n-th, or of an event that was opened with a rate, n a second. 0 or -errno. */
int sd_perf_event_pace(int fd, uint64_t n);

/* So many more samples, then it ends by itself; starts one that has. Not of events that threads
 * inherit. 0 or -errno. */
int sd_perf_event_refresh(int fd, int samples);

void sd_perf_event_close(int fd);

#endif
