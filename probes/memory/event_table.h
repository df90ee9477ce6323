/*
 * Aggregates samples of events by the code that caused them, in bounded memory.
 */
#ifndef SD_EVENT_TABLE_H
#define SD_EVENT_TABLE_H

#include <stddef.h>

#include "base/key_table.h"
#include "memory/access_state.h"
#include "memory/line_table.h"
#include "perf_event/counter_read.h"
#include "record/memory_sampled.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

#define SD_EVENT_TABLE_MOST 65536 /* instructions kept; those that come later have no place */

/* An instruction in an address space; [0] of the table: those without a place. */
struct sd_sampled_code {
	uint64_t ip;
	unsigned space; /* of the line table */
	double samples[SD_MEMSOURCE_EVENTS];
};

/* Zeroed is empty. */
struct sd_event_table {
	struct sd_sampled_code *code; /* owned */
	size_t n;
	struct sd_key_table by_ip;
};

/* 0 or -ENOMEM. */
int sd_event_table_add(struct sd_event_table *t, unsigned space, uint64_t ip, size_t event);

/*
 * Fills the lists of *out: a place for each line of code and role. `spaces`: those that `space` is
 * of; `read`: what each event of the source counted, over all CPUs. 0 or -ENOMEM; the caller owns
 * *out in both cases.
 */
int sd_event_table_fill(const struct sd_event_table *t, const struct sd_line_table *spaces,
	const struct sd_memsource *source, const struct sd_counter_read_reading *read,
	struct sd_symbols *symbols, struct sd_stacks *stacks, struct sd_event_sampled *out);

void sd_event_table_free(struct sd_event_table *t); /* leaves the empty one */

#endif
