/*
 * The part of the modelled machine that cores share: private L2s as the directory sees them, the
 * LLCs, MESI. Events come in the order of the threads' logical clocks.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/cache.h"
#include "model/directory.h"
#include "threads/sharing_lines.h"
#include "model/plugin_options.h"
#include "threads/guest_thread.h"

struct sim_machine {
	const struct sim_options *o; /* borrowed */
	struct sim_directory directory;
	struct sim_cache l2[SIM_SLOTS]; /* opened with a slot's first thread */
	struct sim_cache *llc;          /* owned; one a cluster of cores */
	unsigned n_llc, llc_sharers;
	struct sim_thread *at[SIM_SLOTS]; /* the thread of a slot; NULL free */
	unsigned core[SIM_SLOTS];         /* of a slot, once used */
	unsigned cluster[SIM_SLOTS];      /* the same: which LLC */
	uint8_t opened[SIM_SLOTS];
	struct sim_lines lines;
	double transfers; /* HITM */
	int lost;         /* memory ran out: counts are not whole */
	uint32_t orders;  /* locked accesses and calls that order threads, as they were done */
};

int sim_machine_open(struct sim_machine *m, const struct sim_options *o); /* 0 or -ENOMEM */
void sim_machine_close(struct sim_machine *m);

/* Gives a thread private caches; without a free slot, or memory, t->slot stays SIM_SLOTS. */
void sim_machine_enter(struct sim_machine *m, struct sim_thread *t);

/* Takes them back: what its L1 held goes to the L2. */
void sim_machine_leave(struct sim_machine *m, struct sim_thread *t);

/* Replays one event: the cycles that it costs its thread beyond a hit in L1. */
uint64_t sim_machine_event(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	const struct sim_thread *const *threads);

#endif
