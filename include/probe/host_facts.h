/*
 * The facts about the machine and its kernel that the record keeps.
 */
#ifndef SD_HOST_FACTS_H
#define SD_HOST_FACTS_H

#include "record/record.h"
#include "machine/topology.h"

/*
 * Fills *out from the topology, uname, /proc and CPUID. `root` is the prefix of /proc ("" or NULL =
 * this machine). Unreadable facts are absent or "". The TSC rate is what CPUID or the hypervisor
 * states, else measured against CLOCK_MONOTONIC_RAW (about 1 ms); absent without a usable TSC. The
 * PMU is ok if the kernel opens a hardware cycle counter for this process, unsupported if there is
 * none, denied if there may be one but not for us, absent if it could not be tried (all counters in
 * use). Always 0: every failure is data.
 */
int sd_host_facts_read(struct sd_host *out, const struct sd_topology *t, const char *root);

#endif
