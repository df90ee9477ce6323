/*
 * A run of the model: accesses of cores, and what was counted of them.
 */
#ifndef SD_TEST_MODEL_RUN_H
#define SD_TEST_MODEL_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "threads/replay.h"
#include "threads/guest_run.h"

#define L1_BYTES 4096 /* 64 lines: 8 sets of 8 ways */
#define L1_WAYS 8
#define LINES 64
#define BASE 0x10000000ull

static struct sim_options options;

static struct sim_run run;

static struct sim_row of_access[SIM_ROWS];

static struct sim_ins plain = {.pc = 0x401000};

static inline int set_up(void **state)
{
	(void)state;
	sim_options_default(&options);
	options.machine.l1 = (struct sd_sim_level){L1_BYTES, L1_WAYS, 1, 0};
	options.machine.l2 = (struct sd_sim_level){16384, 8, 1, 0};
	options.machine.llc = (struct sd_sim_level){65536, 16, 0, 0};
	options.machine.dtlb_entries = 16;
	options.machine.dtlb_ways = 4;
	options.machine.stlb_entries = 64;
	options.machine.stlb_ways = 8;
	options.window = 1000;
	sim_rows_fill(of_access);
	return sim_run_open(&run, &options);
}

static inline int tear_down(void **state)
{
	(void)state;
	sim_run_close(&run);
	return 0;
}

/* As the plugin does: the fast way if there is one. */
static inline void access_as(
	struct sim_thread *t, const struct sim_ins *ins, uint64_t address, unsigned size, int store)
{
	const struct sim_row *const row =
		&of_access[sim_row_number((unsigned)__builtin_ctz(size), store)];

	/* others look how far it has come */
	__atomic_store_n(&t->base, t->base + 1, __ATOMIC_RELAXED);
	if (ins->flags || !sim_thread_may_fast(t) || !row->bytes[address & 63])
		sim_thread_slow(t, address, size, store, ins);
	else if (!sim_fast(&t->near->fast, address, row))
		sim_thread_refused(t, address, row, ins);
}

static inline void touch(struct sim_thread *t, uint64_t address, int store)
{
	access_as(t, &plain, address, 8, store);
}

static inline struct sim_counts counts_of(struct sim_thread *t)
{
	struct sim_counts c;

	sim_replay(&run, UINT64_MAX - 1);
	sim_thread_obey(t);
	sim_thread_result(t, NULL, &c);
	return c;
}

#endif
