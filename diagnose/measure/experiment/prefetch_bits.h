/*
 * Reads, sets and restores the register bits that disable a core's hardware prefetchers; every
 * change is read back. Other bits of the register are not touched.
 */
#ifndef SD_PREFETCH_BITS_H
#define SD_PREFETCH_BITS_H

#include "base/cpulist.h"
#include "probe/event_map.h"
#include "experiment/msr.h"
#include "experiment/saved_msr_bits.h"

/* How to access the bits on this machine. */
struct sd_prefetchers_of {
	struct sd_msr msr;
	struct sd_map_prefetchers bits; /* off 0: unknown for this CPU */
	const char *file;               /* to save the old bits in; NULL = nowhere to write */
};

/* The result of a step: 0 or -errno; -ENOTSUP: a change had no effect. */
struct sd_prefetch_bits {
	int rc;
	unsigned cpu; /* the one that refused */
};

/* Reads all CPUs before changing any, because the two CPUs of a core share a register. *old must be
 * freed in every case. */
struct sd_prefetch_bits sd_prefetch_bits_read(const struct sd_prefetchers_of *of,
	const struct sd_cpulist *cpus, struct sd_saved_msr_bits *old);

/* Disables the prefetchers on all CPUs of `old`; stops at the first that refuses. */
struct sd_prefetch_bits sd_prefetch_bits_off(
	const struct sd_prefetchers_of *of, const struct sd_saved_msr_bits *old);

/* Restores the bits of `old`; continues after a CPU that refuses. */
struct sd_prefetch_bits sd_prefetch_bits_back(
	const struct sd_prefetchers_of *of, const struct sd_saved_msr_bits *old);

/* The reason as a sentence without a full stop: for reading or disabling; for restoring, with what
 * to do by hand. */
void sd_prefetch_bits_explain(
	const struct sd_prefetchers_of *of, struct sd_prefetch_bits r, char *why, size_t size);
void sd_prefetch_bits_lament(const struct sd_prefetchers_of *of,
	const struct sd_saved_msr_bits *old, struct sd_prefetch_bits r, char *why, size_t size);

#endif
