/*
 * Blocks of the guest's code as they were translated, how often each ran, and the loops that their
 * backward jumps make.
 */
#ifndef SIM_LOOPS_H
#define SIM_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* What a run of a block accesses. */
struct sim_measure {
	uint32_t loads, stores, bytes;
};

enum sim_odd {
	SIM_ODD_UNMEASURED = 1, /* `each` is not known yet */
	SIM_ODD_REGION = 2      /* first block of the function that bounds the region */
};

#define SIM_BLOCK_ALIGN 64u
struct sim_block {
	/* what every run looks at stands first, in one cache line (SIM_BLOCK_ALIGN) */
	uint64_t start;
	uint64_t turn; /* its last instruction, which goes back when what follows is not behind it;
			  0: what follows is no loop (a call, a return, a jump to anywhere) */
	uint64_t end;  /* address behind its last instruction */
	uint32_t number, n_ins;
	unsigned odd; /* enum sim_odd; not 0: more is to be done at a run than to count it */
	enum sim_transfer {
		SIM_TRANSFER_NONE,
		SIM_TRANSFER_CALL,
		SIM_TRANSFER_RETURN
	} transfer;           /* that it ends in */
	int repeats;          /* its last instruction is a string instruction that repeats itself */
	uint32_t conversions; /* of its instructions, those that turn float into double or back */
	int ours;             /* of the preloaded library: nothing of it is counted, n_ins is 0 */
	struct sim_measure each; /* of one run */
	uint64_t jumps;          /* where it always goes after it; 0: it ends in no such jump */
	struct sim_ins *ins;     /* owned; n_ins */
};

/* What a thread is in before its first one. */
extern const struct sim_block sim_block_none;

/* Of one thread. */
struct sim_block_count {
	uint64_t runs, back; /* back: came by a backward jump */
	uint64_t moved;      /* lines that came into L1 for its instructions */
	uint64_t latch;      /* highest end of a block that jumped back to it */
};

struct sim_loop {
	uint64_t head, end;
	double entries, iterations, instructions, bytes, lines;
};

/*
 * Up to `max` loops of blocks[0..n), whose counts are summed over threads; most instructions first.
 * A loop is the addresses from a backward jump's target to its latch; what functions called from it
 * do is not in it. What nobody ever entered is none, unless the counts are of a part (`part`) that
 * may have begun inside it. Returns how many; -ENOMEM.
 */
long sim_loops_find(const struct sim_block *const *blocks, const struct sim_block_count *counts,
	size_t n, int part, struct sim_loop *out, size_t max);

#endif
