/*
 * Samples of the CPU's counters from runs of their own. Loads and stores: which cache lines came
 * from another core's cache, at which offsets, requested by which threads and lines of code.
 * Events: at which lines of code they happened.
 */
#ifndef SD_MEMORY_SAMPLED_H
#define SD_MEMORY_SAMPLED_H

#include <stddef.h>

#include "record/role.h"
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

/* An event of a role, one in `period` of which interrupted the program; user mode only. */
struct sd_event_period {
	enum sd_role role;
	double period;  /* events from one sample to the next */
	double weight;  /* of an event in the role */
	int precise;    /* the sample's place is that of the event; else it is some instructions
			   late (skid) */
	double samples; /* of the program */
	double count;   /* of the event in the whole run, raw */
	double running; /* time counted / time enabled, 0..1 */
};

/* A role's events at a line of code, by its samples. */
struct sd_event_place {
	unsigned node; /* of the record's stacks, without callers; 0: unknown code, or the rest */
	enum sd_role role;
	double samples;
	double events; /* samples x period x weight */
};

#define SD_EVENT_PERIODS 16  /* events of a run, at most */
#define SD_EVENT_PLACES 4096 /* the least ones are added up at node 0, one a role */

struct sd_event_sampled {
	enum sd_status status; /* ok: the following fields are valid */
	char source[32];       /* the event map's family */
	char why[160];         /* why there is nothing, or what is missing; "" */
	double lost;           /* records that the kernel dropped */
	unsigned cpus_covered, cpus_wanted;
	struct sd_event_period *period; /* owned */
	size_t n_period;
	struct sd_event_place *place; /* owned; most events of the first role first, then of the
					 next */
	size_t n_place;
};

void sd_event_sampled_free(struct sd_event_sampled *e); /* the same */

#endif
