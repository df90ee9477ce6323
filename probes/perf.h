/*
 * The one door to perf_event_open(2): tests put another behind it at link time.
 */
#ifndef SD_PERF_H
#define SD_PERF_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "counter.h"
#include "status.h"

/* A descriptor, close-on-exec, or -errno. `cpu` -1: any. */
int sd_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* The same, in the group that descriptor `group` leads; -1: its own group. */
int sd_perf_open_in(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);

/* Reads a counter opened with SD_COUNTER_FORMAT. 0 or -errno; -EIO: less than a reading (an event
 * in error state reads nothing). */
int sd_perf_read(int fd, struct sd_counter_reading *r);

/* Of an event opened with PERF_FORMAT_LOST or no format at all: what it has counted, and its
 * records that a full ring had no room for (0 without the format). 0 or -errno; -EIO as above. */
int sd_perf_count(int fd, uint64_t *count, uint64_t *lost);

/* Starts or stops a counter that was opened disabled, and with it the group it leads. 0 or -errno.
 */
int sd_perf_switch(int fd, int on);

/* Of an event opened with a frequency: another one, from now on. 0 or -errno; -EINVAL: more than
 * kernel.perf_event_max_sample_rate. */
int sd_perf_pace(int fd, uint64_t hz);

void sd_perf_close(int fd);

#endif
