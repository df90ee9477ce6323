/*
 * What the CPU says of itself without the kernel: the hypervisor it runs under and the rate of its
 * timestamp counter.
 */
#ifndef SD_HYPERVISOR_TSC_H
#define SD_HYPERVISOR_TSC_H

#include <stddef.h>

#include "base/status.h"

/*
 * The hypervisor's name: a known one by its common name ("KVM"), another by its own signature with
 * odd characters replaced; "" for bare metal. 0, or -ENOTSUP, with "", on a CPU that cannot tell.
 */
int sd_hypervisor_tsc_name(char *name, size_t size);

/*
 * The rate of the counter that rdtsc reads and perf's msr/tsc/ count, in 1/s: as the
 * hypervisor (leaf 0x40000010) or the CPU (leaf 0x15; CNTFRQ_EL0 on ARM) states it when a
 * measurement of about 0.2 ms does not contradict it, else measured against CLOCK_MONOTONIC_RAW for
 * about 1 ms. Unsupported: no such counter; denied: this process may not read it; absent: the
 * machine was too busy to measure it.
 */
struct sd_value sd_hypervisor_tsc_hz(void);

#endif
