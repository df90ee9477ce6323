/*
 * What samples of loads and stores by the CPU itself said of one run: which cache lines came from
 * another core's cache, at which offsets, by which threads and lines of code.
 */
#ifndef SD_MEMORY_SAMPLED_H
#define SD_MEMORY_SAMPLED_H

#include <stddef.h>

#include "record/simulated.h"
#include "base/status.h"

/* All counts are samples, not events. */
struct sd_mem_thread {
	int pid, tid;
	double loads, stores, hitm;
};

/*
 * A contested line as simulated.h has it: its hitm_load are the loads that another core's cache
 * answered, its hitm_store is 0 (no CPU tells a store's source), and of an access only the first
 * byte is known. Bit i of a mask is the i-th 64th of the line.
 */
struct sd_mem_line {
	struct sd_sim_contested line;
	double local, remote;   /* loads answered by a modified line of this, of another node */
	double peer;            /* by another core's cache that does not say its line's state */
	struct sd_value cycles; /* mean latency of these loads; absent: not told */
};

struct sd_memory_sampled {
	enum sd_status status; /* ok: there is what follows */
	char source[64];       /* "mem-loads, mem-stores", "ibs_op", "arm_spe" */
	char why[160];         /* there is nothing; or what is missing; "" */
	unsigned line;         /* bytes of a cache line */
	double loads, stores;
	double local, remote, peer; /* of the loads, as of a line */
	double unplaced; /* samples of loads and stores without an address, or of nobody known */
	double lost;     /* records and stretches that the kernel had to drop */
	unsigned cpus_covered, cpus_wanted;
	struct sd_mem_thread *thread; /* owned */
	size_t n_thread, n_thread_seen;
	struct sd_mem_line *contested; /* owned; most hitm_load first; SD_SIM_LINES at most */
	size_t n_contested, n_contested_seen;
};

void sd_memory_sampled_free(
	struct sd_memory_sampled *m); /* frees what it owns and *m; accepts NULL */

#endif
