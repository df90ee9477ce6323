/*
 * Loads and stores of one run, sampled by the CPU: which cache lines came from another core's
 * cache, at which offsets, requested by which threads and lines of code.
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
 * A contested line in the format of simulated.h. hitm_load counts loads served by another core's
 * cache, hitm_store is 0 (no CPU reports a store's source), and only the first byte of an access is
 * known. Bit i of a mask is the i-th 64th of the line.
 */
struct sd_mem_line {
	struct sd_sim_contested line;
	double local, remote;   /* loads served by a modified line of this node, of another */
	double peer;            /* loads served by another core's cache in an unknown state */
	struct sd_value cycles; /* mean latency of these loads; absent: not reported */
};

struct sd_memory_sampled {
	enum sd_status status; /* ok: the following fields are valid */
	char source[64];       /* "mem-loads, mem-stores", "ibs_op", "arm_spe" */
	char why[160];         /* why there is nothing, or what is missing; "" */
	unsigned line;         /* bytes of a cache line */
	double loads, stores;
	double local, remote, peer; /* of all loads, as for a line */
	double unplaced; /* samples of loads and stores without an address or known thread */
	double lost;     /* records, or intervals, that the kernel dropped */
	unsigned cpus_covered, cpus_wanted;
	struct sd_mem_thread *thread; /* owned */
	size_t n_thread, n_thread_seen;
	struct sd_mem_line *contested; /* owned; most hitm_load first; SD_SIM_LINES at most */
	size_t n_contested, n_contested_seen;
};

void sd_memory_sampled_free(
	struct sd_memory_sampled *m); /* frees what it owns and *m; accepts NULL */

#endif
