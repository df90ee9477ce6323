/*
 * The data of a thread that nearly every access touches, contiguous and without pointers. An access
 * that hits a line no other thread uses is done here, in about 35 host instructions.
 */
#ifndef SIM_FAST_H
#define SIM_FAST_H

#include <stdint.h>

#include "model/l1.h"
#include "model/tlb.h"

#define SIM_LOOK 1024u /* entries of the table that guesses where a line is */

struct sim_fast {
	uint64_t tick, page_bytes; /* tick: time, counted in accesses */
	uint32_t look[SIM_LOOK];   /* where a line was last found: place | way of the DTLB << 16 */
	struct sim_l1_ways l1;
	struct sim_tlb_ways dtlb;
};

/* Constants for a direction and size of access. */
struct sim_row {
	unsigned size;
	int store;
	uint64_t tag; /* the bits of a line's tag that must match */
	uint64_t
		bytes[64]; /* bytes touched, by offset in the line; 0: crosses into the next line */
};
#define SIM_SIZES 7u /* 1 to 64 bytes */
#define SIM_ROWS (1 + 2 * SIM_SIZES)

/* Index of a row. Row 0 is special: its accesses never take the fast path. */
static inline unsigned sim_row_number(unsigned log2, int store)
{
	return 1 + log2 + (store ? SIM_SIZES : 0);
}

static inline void sim_rows_fill(struct sim_row rows[SIM_ROWS])
{
	rows[0] = (struct sim_row){.store = 1};
	for (unsigned k = 0; k < 2 * SIM_SIZES; k++) {
		struct sim_row *const r = &rows[sim_row_number(k % SIM_SIZES, k >= SIM_SIZES)];

		*r = (struct sim_row){.size = 1u << k % SIM_SIZES, .store = k >= SIM_SIZES};
		r->tag = r->store ? ~0ull : ~SIM_L1_READONLY;
		for (unsigned at = 0; at + r->size <= 64; at++)
			r->bytes[at] = (r->size < 64 ? (1ull << r->size) - 1 : ~0ull) << at;
	}
}

/* Mixes in higher bits: arrays walked side by side are often a power of two apart. */
static inline size_t sim_look(uint64_t line)
{
	return (line ^ line >> 10) & (SIM_LOOK - 1);
}

/*
 * Tries an access on the fast path; 1: done. It must hit L1, with the required permission, and the
 * DTLB; only LRU and the used bytes then change. Lines of 64 bytes only.
 */
static inline int sim_fast(struct sim_fast *f, uint64_t address, const struct sim_row *row)
{
	const uint64_t line = address >> 6;
	const uint32_t at = f->look[sim_look(line)], place = at & 0xffff, way = at >> 16;
	uint64_t bytes;

	if (((f->l1.tag[place] ^ (line + 1)) & row->tag) ||
		address - f->dtlb.first[way] >= f->page_bytes)
		return 0;
	bytes = row->bytes[address & 63];
	if (!bytes)
		return 0;
	f->tick += SIM_TICK;
	f->dtlb.stamp[way] = f->tick;
	f->l1.stamp[place] = sim_stamp(f->tick, place);
	f->l1.used[place] |= bytes;
	return 1;
}

#endif
