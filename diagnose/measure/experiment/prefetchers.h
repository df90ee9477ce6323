/*
 * Turns the hardware prefetchers of some CPUs off for a while, and reliably on again.
 *
 * The old bits are first saved to a file (saved_msr_bits.h). Then a guard, a process in its own
 * group that only SIGKILL can end, disables the prefetchers and restores every bit when told to, or
 * when scalediag dies in whatever way. If the guard is killed, scalediag restores the bits; if both
 * are killed, the next scalediag restores them from the file. No other bits are ever changed, and
 * each change is read back, because a virtual machine may ignore it.
 */
#ifndef SD_PREFETCHERS_H
#define SD_PREFETCHERS_H

#include <sys/types.h>

#include "base/cpulist.h"
#include "experiment/prefetch_bits.h"
#include "base/sink.h"

struct sd_prefetchers {
	const struct sd_prefetchers_of *of;
	struct sd_saved_msr_bits old;
	pid_t guard;
	int lock, socket;
};
#define SD_PREFETCHERS_NONE ((struct sd_prefetchers){.lock = -1, .socket = -1})

/*
 * Can the prefetchers of these CPUs be turned off? Only reads. 1; 0 with the reason, a sentence
 * without a full stop, in why[size].
 */
int sd_prefetchers_look(
	const struct sd_prefetchers_of *of, const struct sd_cpulist *cpus, char *why, size_t size);

/* Turns them off. 0: all are off; -errno: none is, with the reason in why. `of` is borrowed until
 * sd_prefetchers_on. */
int sd_prefetchers_off(struct sd_prefetchers *p, const struct sd_prefetchers_of *of,
	const struct sd_cpulist *cpus, char *why, size_t size);

/* Restores the old bits. 0; -EIO: a CPU refuses; why says which and how to do it by hand, and the
 * file stays. Accepts the empty value. */
int sd_prefetchers_on(struct sd_prefetchers *p, char *why, size_t size);

/* Restores from the file what killed processes left. Reports what it did, or could not do. */
void sd_prefetchers_recover(const struct sd_prefetchers_of *of, const struct sd_sink *sink);

#endif
