/*
 * The state of one guest thread, touched by no other while it runs: its L1 and TLBs, its counts,
 * and the log of accesses that the shared part of the machine must see.
 */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "model/cache.h"
#include "guest/call_stack.h"
#include "threads/conflict_misses.h"
#include "model/directory.h"
#include "model/l1.h"
#include "guest/loops.h"
#include "guest/page_histogram.h"
#include "threads/fast_path.h"
#include "model/huge_page_model.h"
#include "model/plugin_options.h"
#include "guest/reuse_distance.h"
#include "threads/write_combining.h"
#include "model/tlb.h"
#include "record/modelled_count.h"
#include "threads/stall_reason.h"

/* Properties of an instruction, known at translation. */
enum sim_ins_flag {
	SIM_INS_LOCKED = 1,
	SIM_INS_CALL = 2,
	SIM_INS_MODIFIES = 4, /* its load and its store are reported together */
	SIM_INS_STREAMS = 8,  /* non-temporal store (write_combining.h) */
	SIM_INS_INSIDE = 16,  /* works on registers only */
	SIM_INS_HELPED = 32   /* QEMU may call a helper function for its access */
};
struct sim_ins {
	uint64_t pc;
	uint16_t index; /* in its block */
	uint16_t flags;
};

struct sim_machine;

enum sim_event_kind {
	SIM_EVENT_HIT, /* in L1, but the directory must be consulted */
	SIM_EVENT_MISS,
	SIM_EVENT_STREAM, /* a non-temporal store begins a line, or continues a contended one */
	SIM_EVENT_SYNC    /* a system call that orders threads */
};
struct sim_event {
	uint64_t time; /* instructions of this thread */
	uint64_t address;
	uint64_t victim1; /* line number + 1 that it evicted from L1; 0 none */
	const struct sim_ins *ins;
	uint32_t order; /* number of ordering operations of all threads until then */
	uint8_t size, kind;
	unsigned store : 1, locked : 1;
	unsigned watched : 1; /* L1 logs every access to this line already */
};

/* A message from the shared part to a thread's L1. */
enum sim_word { SIM_WORD_INVALIDATE, SIM_WORD_DOWNGRADE, SIM_WORD_CONTENDED, SIM_WORD_CALM };
struct sim_message {
	uint64_t line;
	enum sim_word word;
};

/* Sums. All fields have the same type, since they are added as an array. */
struct sim_counts {
	uint64_t instructions, loads, stores, l1_misses, l2_misses, llc_misses, lines_in,
		write_backs, hitm_load, hitm_store, rfo, invalidations, upgrades, dtlb_misses,
		stlb_misses, bytes_used, lines_unused, conversions, locked, dtlb_stores,
		stlb_stores, streamed;
};

/* Values that parts of a run estimate for all of it: counts, and cycles that it stood still. */
#define SIM_ESTIMATED (sizeof(struct sim_counts) / sizeof(uint64_t) + 1)

#define SIM_ORDERS 64u
#define SIM_PAGE_LOOK 64u /* entries of the table that guesses where a page is */

/* Like sim_look(), for arrays walked side by side. */
static inline size_t sim_page_look(uint64_t address)
{
	const uint64_t page = address >> 12;

	return (page ^ page >> 6 ^ page >> 9 ^ page >> 12) & (SIM_PAGE_LOOK - 1);
}

/* Mapped: only the used parts take memory. */
struct sim_near {
	struct sim_fast fast;
	struct sim_tlb_ways stlb;
};

/* The core model's (core_model.h): the stores that wait for a line, lines that loads waited for,
 * streams. Times are instructions, `done` and `used` cycles. */
struct sim_pending {
	uint64_t first, done;        /* the oldest that waits; when they all have their lines */
	struct sim_stall_reason why; /* of the line that comes last */
};
struct sim_recent {
	uint64_t line1, time, address;
};
struct sim_stream_head {
	uint64_t next, used;
};

/* The arguments of a futex call; all 0: the call is none. */
struct sim_futex {
	uint64_t address;
	uint32_t operation, value;
	int wakes; /* it is one that wakes */
};
#define SIM_RECENT 8u
#define SIM_STREAM_HEADS 16u

struct sim_thread {
	/* every block */
	const struct sim_block *block; /* this one; at first sim_block_none */
	uint64_t base;                 /* instructions before it */
	uint64_t limit;             /* value of base at which the shared part must be consulted */
	uint64_t again, again_most; /* further runs of this block right away that need no look at
				       them: still left, of how many (sim_thread_settle) */
	struct sim_block_count *blocks; /* owned; by block number */
	size_t n_blocks;
	int odd; /* its next block needs more than counting (block_step.c) */

	/* slow accesses */
	uint64_t follows; /* instructions behind a miss of a line in which accesses to it are
			     logged, too; 0: none (core_model.h) */
	struct sim_recent followed[SIM_RECENT];
	unsigned n_followed;
	int measuring;            /* this block's accesses are being counted */
	struct sim_near *near;    /* owned; NULL: the thread is gone */
	struct sim_machine *solo; /* borrowed; not NULL: it is the only thread (single_thread.h) */
	struct sim_cache *l2, *llc;        /* borrowed; then, what are its own */
	const struct sim_latency *latency; /* borrowed; then */
	struct sim_l1 l1;                  /* in near->fast, as is the DTLB */
	struct sim_tlb dtlb, stlb;
	uint32_t page_look[SIM_PAGE_LOOK]; /* by page: the way of the DTLB that it may be in */
	uint64_t line_mask;                /* bytes of a line - 1 */
	unsigned line_shift, page_shift;
	uintptr_t last_key; /* instruction and direction counted last in this block */
	struct sim_measure measure;
	uint64_t skipped; /* instructions outside the part that is simulated */
	struct sim_counts count;
	struct sim_callers callers;
	struct sim_pages pages;
	struct sim_reuse reuse;
	size_t resting;         /* place whose line was sampled last, or nowhere */
	uint64_t resting_line1; /* the line it had */
	struct sim_conflict conflict;
	struct sim_stream stream;
	const uint8_t *hot;          /* borrowed: lines that are contended, by hash */
	const struct sim_huge *huge; /* borrowed; NULL: nothing */
	/* ordering operations (locked accesses, and system calls that order), numbered as they
	 * happen: the replay goes by logical clocks, which do not tell who was really first */
	uint32_t *orders; /* borrowed: how many of all threads; NULL: not counted */
	uint32_t own_order[SIM_ORDERS], n_own_order; /* its latest */
	uint64_t stack_low, stack_high;
	struct sim_event *event; /* owned */
	size_t n_event, room;
	int lost; /* out of memory for the log: the thread's counts are incomplete */

	/* of the shared part, under its lock */
	unsigned index, slot, core; /* slot SIM_SLOTS: not simulated */
	int tid;
	enum sim_state { SIM_RUNNING, SIM_PARKED, SIM_AWAY, SIM_GONE } state;
	uint64_t stall;        /* cycles waited for memory; its clock is base + stall */
	uint64_t dtlb_charged; /* of the TLB misses, those in the clock already */
	uint64_t stlb_charged;
	struct sim_counts late; /* what only the shared part can count */
	uint64_t begun, away;   /* cycles: its clock at its beginning; out of the window */
	uint64_t modelled[SD_MODELLED_COUNT]; /* of the core model */
	/* of a part that stands for more than itself: counts at its beginning, what is added for
	 * all parts, and the counts of the last */
	uint64_t mark[SIM_ESTIMATED];
	int64_t extra[SIM_ESTIMATED], part[SIM_ESTIMATED];
	struct sim_pending pending;
	struct sim_recent missed[SIM_RECENT], written[SIM_RECENT]; /* by loads, by stores */
	unsigned n_missed, n_written;
	struct sim_stream_head head[SIM_STREAM_HEADS];
	size_t next;               /* event to replay */
	struct sim_message *inbox; /* owned */
	size_t n_inbox, inbox_room;
	uint64_t system_calls, woken; /* its calls; threads that these woke, or moved on */
	uint64_t mapping;             /* bytes that its last system call maps */
	unsigned call;                /* flags of its last system call */
	int ends;                     /* it is the thread's end */
	struct sim_futex futex;       /* of that, on a machine that is modelled with its times */
	uint64_t region_return; /* address at which the function of the region is left; 0 outside */
};

/* 0 or -ENOMEM. `tick` etc. start at 0. */
int sim_thread_open(struct sim_thread *t, const struct sd_sim_machine *m, const uint8_t *hot);
void sim_thread_close(struct sim_thread *t);

/* Frees the working memory of a thread that has ended; its results stay. */
void sim_thread_retire(struct sim_thread *t);

static inline unsigned sim_thread_bits(uint64_t x)
{
#ifdef __POPCNT__
	return (unsigned)__builtin_popcountll(x);
#else
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(x * 0x0101010101010101 >> 56);
#endif
}

/* A line leaves L1: counts the bytes of it that were used. */
static inline void sim_thread_account(struct sim_counts *c, const struct sim_thread *t, size_t i)
{
	c->bytes_used += sim_thread_bits(t->l1.way->used[i]);
	c->lines_unused += (t->l1.way->stamp[i] & SIM_FRESH) != 0;
}

/* Runs of its block that are in neither `base` nor `blocks` yet. */
static inline uint64_t sim_thread_unsettled(const struct sim_thread *t)
{
	return t->again_most - t->again;
}

/* Its instructions before that of an access. */
static inline uint64_t sim_thread_now(const struct sim_thread *t, const struct sim_ins *ins)
{
	return t->base + sim_thread_unsettled(t) * t->block->n_ins + ins->index;
}

/* Puts the runs there that a loop of one block has done in the meantime; the next one is counted
 * again. */
void sim_thread_settle(struct sim_thread *t);

/* May its accesses take the fast path? */
static inline int sim_thread_may_fast(const struct sim_thread *t)
{
	return !t->measuring && t->line_mask == 63;
}

/* An access that sim_fast() refused, although sim_thread_may_fast() and row->bytes[] of the address
 * is not 0. */
void sim_thread_refused(struct sim_thread *t, uint64_t address, const struct sim_row *row,
	const struct sim_ins *ins);

/* Any access. */
void sim_thread_slow(struct sim_thread *t, uint64_t address, unsigned size, int store,
	const struct sim_ins *ins);

/* One that is only counted where its block is measured. */
void sim_thread_tell(struct sim_thread *t, unsigned size, int store, const struct sim_ins *ins);

/* Starts or stops counting every access of a block in t->measure. */
void sim_thread_measure(struct sim_thread *t, int on);

/* Appends to the log, with its order. */
void sim_thread_log(struct sim_thread *t, struct sim_event e);

/* An ordering operation: what the thread did before it happens before what others do after it.
 * Returns its number. */
uint32_t sim_thread_order(struct sim_thread *t);

/* Did the thread order itself between these two numbers, given in any sequence? Also true if that
 * is too long ago to know. */
int sim_thread_ordered(const struct sim_thread *t, uint32_t one, uint32_t other);

/* While it is alone: does L1 hold the line? `dirty`: marks the copy modified. */
int sim_thread_holds(struct sim_thread *t, uint64_t line, int dirty);

/* Removes a line from L1. -1: it was not there; while it is alone: 1 modified, 0 not. */
int sim_thread_drop(struct sim_thread *t, uint64_t line);

/* Carries out the messages of the shared part and empties the inbox. */
void sim_thread_obey(struct sim_thread *t);

/* A part begins here. */
void sim_thread_mark(struct sim_thread *t);

/* Makes the counts since the mark stand for so many times themselves (-1: for nothing, as no part
 * has them), and moves the mark here. What is always counted, such as instructions, stays. */
void sim_thread_weigh(struct sim_thread *t, double times);

/* The counts so far, estimated in the same way, with those of the shared part; lines still in L1
 * count as if evicted now. `block`: all blocks, by number. */
void sim_thread_result(
	const struct sim_thread *t, const struct sim_block *const *block, struct sim_counts *out);

#define SIM_HOT 65536u
static inline unsigned sim_hot(uint64_t line)
{
	return (unsigned)(line * 0x9e3779b97f4a7c15ull >> 48);
}

#endif
