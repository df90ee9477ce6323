/*
 * Does a thread still keep to the CPUs it was given?
 */
#ifndef SD_AFFINITY_CHECK_H
#define SD_AFFINITY_CHECK_H

#include "base/cpulist.h"

/*
 * 1 when thread `tid` of `pid` may run on a CPU outside of `cpus`, 0 when not, -errno when that
 * could not be read. `root` is the prefix of /proc; "" asks the kernel directly, which is twenty
 * times cheaper than the thread's status file.
 */
int sd_affinity_check_strays(const char *root, int pid, int tid, const struct sd_cpulist *cpus);

#endif
