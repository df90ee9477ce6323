/*
 * The machine and its kernel as the record keeps them.
 */
#ifndef SD_HOST_FACTS_H
#define SD_HOST_FACTS_H

#include "record/record.h"
#include "machine/topology.h"

/*
 * Fills *out from the topology, uname, /proc and CPUID. `root` is the prefix of /proc ("" or NULL =
 * this machine). What cannot be read is absent or "". The TSC rate: what CPUID or the hypervisor
 * states, else measured against CLOCK_MONOTONIC_RAW (about 1 ms); absent where there is no usable
 * one. The PMU: ok when the kernel opens a hardware cycle counter for this process, unsupported
 * when there is none, denied when there may be one but not for us, absent when it could not be
 * tried (all counters in use). 0; there is no failure that is not data.
 */
int sd_host_facts_read(struct sd_host *out, const struct sd_topology *t, const char *root);

#endif
