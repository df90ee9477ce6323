/*
 * The bits of a register that turn a core's hardware prefetchers off: read, set and put back, each
 * change read back. Other bits of the register are left as they are.
 */
#ifndef SD_PREFETCH_BITS_H
#define SD_PREFETCH_BITS_H

#include "base/cpulist.h"
#include "probe/event_map.h"
#include "experiment/msr.h"
#include "experiment/saved_msr_bits.h"

/* Of which machine, and how. */
struct sd_prefetchers_of {
	struct sd_msr msr;
	struct sd_map_prefetchers bits; /* off 0: not known for this CPU */
	const char *file;               /* for the old bits; NULL = nowhere to write */
};

/* How a step went: 0 or -errno, -ENOTSUP a change had no effect. */
struct sd_prefetch_bits {
	int rc;
	unsigned cpu; /* that refused */
};

/* What all of them hold, before any is changed: two CPUs of a core have one register. *old is to be
 * freed in every case. */
struct sd_prefetch_bits sd_prefetch_bits_read(const struct sd_prefetchers_of *of,
	const struct sd_cpulist *cpus, struct sd_saved_msr_bits *old);

/* Off on all CPUs of `old`; ends at the first that refuses. */
struct sd_prefetch_bits sd_prefetch_bits_off(
	const struct sd_prefetchers_of *of, const struct sd_saved_msr_bits *old);

/* As `old` says; one that refuses keeps none from the others. */
struct sd_prefetch_bits sd_prefetch_bits_back(
	const struct sd_prefetchers_of *of, const struct sd_saved_msr_bits *old);

/* Why, as a sentence without a full stop: of reading or turning off; of putting back, with what to
 * do by hand. */
void sd_prefetch_bits_explain(
	const struct sd_prefetchers_of *of, struct sd_prefetch_bits r, char *why, size_t size);
void sd_prefetch_bits_lament(const struct sd_prefetchers_of *of,
	const struct sd_saved_msr_bits *old, struct sd_prefetch_bits r, char *why, size_t size);

#endif
