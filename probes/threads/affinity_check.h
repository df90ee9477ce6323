/*
 * Does a thread still run only on the CPUs it was given?
 */
#ifndef SD_AFFINITY_CHECK_H
#define SD_AFFINITY_CHECK_H

#include "base/cpulist.h"

/*
 * 1 if thread `tid` of `pid` may run on a CPU outside `cpus`, 0 if not, -errno if unreadable.
 * `root` is the prefix of /proc; "" asks the kernel directly, which is twenty times cheaper than
 * the thread's status file.
 */
int sd_affinity_check_strays(const char *root, int pid, int tid, const struct sd_cpulist *cpus);

#endif
