/*
 * Facts that the CPU itself reports without the kernel: the hypervisor and the rate of the
 * timestamp counter.
 */
#ifndef SD_HYPERVISOR_TSC_H
#define SD_HYPERVISOR_TSC_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * The hypervisor: its common name ("KVM") if known, else its signature with odd characters
 * replaced; "" on bare metal. 0; -ENOTSUP with "" on a CPU that cannot tell.
 */
int sd_hypervisor_tsc_name(char *name, size_t size);

/*
 * The rate of the counter that rdtsc reads and perf's msr/tsc/ count, in 1/s: as stated by the
 * hypervisor (leaf 0x40000010) or the CPU (leaf 0x15; CNTFRQ_EL0 on ARM) unless a measurement of
 * about 0.2 ms contradicts it, else measured against CLOCK_MONOTONIC_RAW for about 1 ms.
 * Unsupported: no such counter; denied: this process may not read it; absent: the machine was too
 * busy to measure it.
 */
struct sd_value sd_hypervisor_tsc_hz(void);

/* A moment on the counter and on CLOCK_MONOTONIC_RAW; zeroed: the counter cannot be read. */
struct sd_hypervisor_tsc_moment {
	uint64_t ticks, ns;
	uint64_t doubt; /* ticks within which the clock was read */
};
struct sd_hypervisor_tsc_moment sd_hypervisor_tsc_now(void);

/* The same rate by the time since `then`, without waiting; where that is too short to tell, or
 * contradicts what is stated, as above. */
struct sd_value sd_hypervisor_tsc_since(const struct sd_hypervisor_tsc_moment *then);

#endif
