/*
 * The hardware prefetchers of some CPUs, off for a while and surely on again.
 *
 * What their bits were is written down in a file first (saved_msr_bits.h). Then a guard, a process
 * in a group of its own that no signal but SIGKILL reaches, turns them off and puts every bit back
 * when it is told to or when scalediag is gone, however that went. A guard that was killed is
 * replaced by scalediag itself; when both were killed, the next scalediag puts the bits back from
 * the file. Only these bits are ever changed, and each change is read back: a virtual machine may
 * ignore it.
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
 * Can those of these CPUs be turned off? Reads, and changes nothing. 1; 0: why not, as a sentence
 * without a full stop into why[size].
 */
int sd_prefetchers_look(
	const struct sd_prefetchers_of *of, const struct sd_cpulist *cpus, char *why, size_t size);

/* Turns them off. 0: all of them are; -errno: none is, and why. `of` is borrowed until on. */
int sd_prefetchers_off(struct sd_prefetchers *p, const struct sd_prefetchers_of *of,
	const struct sd_cpulist *cpus, char *why, size_t size);

/* Puts back what was. 0; -EIO: a CPU refuses, why says which and how to do it by hand; the file
 * stays then. Accepts the empty value. */
int sd_prefetchers_on(struct sd_prefetchers *p, char *why, size_t size);

/* Puts back what killed processes left, as the file says. Says what it did, or could not. */
void sd_prefetchers_recover(const struct sd_prefetchers_of *of, const struct sd_sink *sink);

#endif
