/*
 * The one door to perf_event_open(2): tests put another behind it at link time.
 */
#ifndef SD_PERF_H
#define SD_PERF_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "status.h"

/* A descriptor, close-on-exec, or -errno. `cpu` -1: any. */
int sd_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

#endif
