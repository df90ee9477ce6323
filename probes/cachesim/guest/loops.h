/*
 * The translated blocks of the guest's code, how often each ran, and the loops formed by their
 * backward jumps.
 */
#ifndef SIM_LOOPS_H
#define SIM_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Memory accesses of one run of a block. */
struct sim_measure {
	uint32_t loads, stores, bytes;
};

enum sim_odd {
	SIM_ODD_UNMEASURED = 1, /* `each` is not known yet */
	SIM_ODD_REGION = 2      /* first block of the function that bounds the region */
};

#define SIM_BLOCK_ALIGN 64u
struct sim_block {
	/* fields read by every run come first, in one cache line (SIM_BLOCK_ALIGN) */
	uint64_t start;
	uint64_t turn; /* address of its last instruction: if the next block is not beyond it, the
			  jump was backward; 0: never a loop (a call, a return, an indirect jump) */
	uint64_t end;  /* address after its last instruction */
	uint32_t number, n_ins;
	unsigned odd; /* enum sim_odd; not 0: a run needs more than counting */
	enum sim_transfer {
		SIM_TRANSFER_NONE,
		SIM_TRANSFER_CALL,
		SIM_TRANSFER_RETURN
	} transfer;              /* that it ends in */
	int repeats;             /* ends in a string instruction with a REP prefix */
	uint32_t conversions;    /* instructions that convert float to double or back */
	int ours;                /* belongs to our preloaded library: not counted, n_ins is 0 */
	struct sim_measure each; /* of one run */
	uint64_t jumps;          /* target of the unconditional jump it ends in; 0: none */
	struct sim_ins *ins;     /* owned; n_ins */
	uint32_t locked;         /* atomic instructions, or halves of an exclusive pair */
};

/* The block a thread is in before its first one. */
extern const struct sim_block sim_block_none;

/* One thread's counts of a block. */
struct sim_block_count {
	uint64_t runs, back; /* back: entered by a backward jump */
	uint64_t moved;      /* lines its accesses brought into L1 */
	uint64_t latch;      /* highest end of a block that jumped back to it */
};

struct sim_loop {
	uint64_t head, end;
	double entries, iterations, instructions, bytes, lines;
};

/*
 * Finds up to `max` loops in blocks[0..n), whose counts are summed over threads; most instructions
 * first. A loop is the address range from a backward jump's target to its latch; functions called
 * from it are not included. A range never entered from outside is not a loop, unless the counts are
 * of a part of the run (`part`), which may have begun inside it. Returns the number of loops;
 * -ENOMEM.
 */
long sim_loops_find(const struct sim_block *const *blocks, const struct sim_block_count *counts,
	size_t n, int part, struct sim_loop *out, size_t max);

#endif
