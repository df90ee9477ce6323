/*
 * The part of the modelled machine that the replay simulates: private L2s, the LLCs, the directory
 * (MESI). Events arrive in the order of the threads' logical clocks.
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

/* A line under way, or the last in its place of the table. */
struct sim_arrival {
	uint64_t line1, until; /* cycles */
	struct sim_stall_reason why;
};
#define SIM_ARRIVALS 16384u

struct sim_machine {
	const struct sim_options *o; /* borrowed */
	struct sim_arrival *arrival; /* owned; SIM_ARRIVALS; NULL without the core model */
	uint64_t bus_free;           /* hundredths of a cycle */
	struct sim_directory directory;
	struct sim_cache l2[SIM_SLOTS]; /* opened with a slot's first thread */
	struct sim_cache *llc;          /* owned; one per cluster of cores */
	unsigned n_llc, llc_sharers;
	struct sim_thread *at[SIM_SLOTS]; /* the thread of a slot; NULL free */
	unsigned core[SIM_SLOTS];         /* of a slot, once used */
	unsigned cluster[SIM_SLOTS];      /* the same: which LLC */
	uint8_t opened[SIM_SLOTS];
	struct sim_lines lines;
	double transfers; /* HITM */
	uint64_t events;  /* replayed */
	/* misses of the LLC to ways that nothing had filled: a line was never there as far as the
	 * model has seen */
	uint64_t unfilled;
	int lost;        /* out of memory: counts are incomplete */
	uint32_t orders; /* ordering operations so far: locked accesses and system calls */
};

int sim_machine_open(struct sim_machine *m, const struct sim_options *o); /* 0 or -ENOMEM */
void sim_machine_close(struct sim_machine *m);

/* Gives a thread private caches; t->slot stays SIM_SLOTS if no slot is free or memory runs out. */
void sim_machine_enter(struct sim_machine *m, struct sim_thread *t);

/* It goes on on another core. Its private caches go with it: what a real one would fetch anew is
 * small beside what it does between two moves. */
void sim_machine_move(struct sim_machine *m, struct sim_thread *t, unsigned core);

/* Takes them back: the contents of its L1 go to the L2. */
void sim_machine_leave(struct sim_machine *m, struct sim_thread *t);

/*
 * An event that will be replayed soon, and one that will be sooner: prefetches what the model will
 * look at then, which is seldom in the host's near caches. Which sets of L2 are near tells the
 * second.
 */
void sim_machine_expect(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *later, const struct sim_event *soon);

/* Replays one event. Returns the cycles it costs its thread beyond an L1 hit. */
uint64_t sim_machine_event(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	const struct sim_thread *const *threads);

#endif
