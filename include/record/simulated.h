/*
 * The software PMU's results for one run: counts of a modelled machine, not of this one. Its roles
 * (quality "simulated") are among the run's. This is what no hardware PMU reports: contested lines
 * byte by byte, working sets, pages, loops.
 */
#ifndef SD_SIMULATED_H
#define SD_SIMULATED_H

#include <stddef.h>
#include <stdint.h>

#include "record/line_object.h"
#include "record/role.h"
#include "base/status.h"

#define SD_SIM_LINE 64      /* bytes shown of a line; larger modelled lines are shown in halves */
#define SD_SIM_LINES 64     /* contested lines kept, most HITM first */
#define SD_SIM_SHARERS 32   /* threads kept of a line, most accesses first */
#define SD_SIM_CODES 12     /* code locations kept of a contested line */
#define SD_SIM_DISTANCES 40 /* reuse distances by powers of two lines; the last: first access */
#define SD_SIM_LOOPS 64
#define SD_SIM_BLOCKS 32
#define SD_SIM_RACES 64
#define SD_SIM_CONFLICTS 16
#define SD_SIM_THREADS 1024
#define SD_SIMULATED_TEXT 160

/* The modelled machine; 0 for what it lacks. */
struct sd_sim_level {
	uint64_t bytes;
	unsigned ways, sharers; /* sharers: cores of one cache */
	int inclusive;
};
struct sd_sim_machine {
	char name[64];        /* "host", or the preset's or file's */
	unsigned cores, line; /* line: bytes */
	struct sd_sim_level l1, l2, llc;
	unsigned dtlb_entries, dtlb_ways, stlb_entries, stlb_ways, page; /* page: bytes */
	int adjacent; /* an L2 miss also fetches the other line of the 128-byte pair */
};

/*
 * Cycles of `hz` that the latency model charges beyond an L1 hit, as calibrated on this host. hz 0:
 * not calibrated, or another machine: the model uses its own costs, and its cycles do not convert
 * to seconds.
 */
struct sd_sim_costs {
	double hz;
	unsigned l2, llc, memory, transfer, walk;
};
/* The charges without a calibration; hz 0. */
extern const struct sd_sim_costs sd_sim_costs_usual;
/* The charges used: `plan` if that is calibrated; else, also for NULL, the usual ones. */
const struct sd_sim_costs *sd_sim_costs_charged(const struct sd_sim_costs *plan);

/* Counts of a thread; thread i ran on simulated core i % cores. */
struct sd_sim_thread {
	int tid; /* of the guest; 0 unknown */
	unsigned core;
	double instructions, loads, stores, l1_misses, l2_misses, llc_misses, lines_in, write_backs,
		hitm_load, hitm_store, rfo, invalidations, upgrades, dtlb_misses, stlb_misses;
	double bytes_used;   /* of all bytes brought into its L1 */
	double lines_unused; /* brought in and never touched again */
	double conflicts;    /* L1 misses that a fully associative cache of the same size
			      would avoid */
	double conversions;  /* instructions that convert float to double or back */
	double distance[SD_SIM_DISTANCES]; /* accesses by LRU stack distance: [i]: 2^(i-1) <= lines
					      < 2^i, [0]: 0; sampled and scaled up */
	double pages, pages_2m; /* distinct pages touched: the entries a DTLB would need */
	double contiguous;      /* share of its pages whose predecessor it also touched */
	double shared_pages;    /* share of its pages that another thread also touched */
};

/* Untold: only one thread was sampled at the line. */
enum sd_sim_sharing { SD_SIM_TRUE, SD_SIM_FALSE, SD_SIM_MIXED, SD_SIM_UNTOLD };
/* "true", "false", "mixed", "unknown" */
extern const char *const sd_sim_sharing_name[SD_SIM_UNTOLD + 1];

/* One thread's part in a contested line; bit i of a mask = byte i. */
struct sd_sim_sharer {
	unsigned thread; /* index into threads */
	uint64_t read, written;
	double loads, stores, locked, hitm;
};

struct sd_sim_code {
	unsigned node; /* in the record's stacks: the code location, with callers if known */
	double accesses, hitm;
	int writes, locked; /* locked: a lock prefix, xchg, or an exclusive pair */
	uint64_t bytes;     /* of the line, that it touches: bit i = byte i; 0: not told */
};

/* A cache line that moved between cores in modified state. */
struct sd_sim_contested {
	uint64_t address; /* of the line, in the guest */
	unsigned name;    /* text of the record's stacks: "counters+0x40", "stack of thread 3"; 0
			     unknown */
	unsigned site;    /* node where its memory was allocated; 0 unknown */
	unsigned other;   /* node where another block in it was allocated; 0: none */
	enum sd_sim_sharing sharing;
	double hitm_load, hitm_store, invalidations, upgrades;
	double share; /* of all HITM of the run */
	struct sd_value
		separated; /* HITM left in a second pass that gives each thread's bytes a line of
			      their own; absent: no such pass, or the bytes are shared */
	struct sd_sim_sharer *sharer; /* owned */
	size_t n_sharer;
	struct sd_sim_code *code; /* owned */
	size_t n_code;
	struct sd_line_object *object; /* owned; that lie in it, SD_LINE_OBJECTS at most */
	size_t n_object;
};

/* Frees what a line owns. */
void sd_sim_contested_free(struct sd_sim_contested *c);

struct sd_sim_loop {
	unsigned node;
	double entries, iterations; /* trips on average = iterations / entries */
	double instructions;
	double bytes_consumed,
		bytes_moved; /* accessed by its loads and stores; brought into L1 for them */
};

/* A basic block: entered only at its first instruction, left only after its last. */
struct sd_sim_block {
	unsigned node;
	double runs, instructions; /* instructions: of one run */
};

struct sd_sim_race {
	uint64_t address;
	unsigned name;   /* text */
	unsigned writer; /* node */
	unsigned other;  /* node */
	unsigned bytes;
};

struct sd_sim_conflict {
	unsigned node;
	int64_t stride; /* bytes, the most frequent distance of its accesses */
	double misses;
};

struct sd_simulated {
	struct sd_sim_machine machine;
	int partial; /* not the whole program: `why` */
	char why[SD_SIMULATED_TEXT];
	/* Share of the instructions that the model has seen, the counts of which stand for all, and
	 * how precise they are; absent, "": it has seen all of what is simulated. */
	struct sd_value modelled;
	char sampled[SD_SIMULATED_TEXT];
	size_t processes;     /* number emulated; the data is that of the one with the most
			       instructions */
	char blind[96];       /* why allocations are unknown, as a clause; "": they are known */
	double from_s, for_s; /* the simulated part of the emulated run; 0, 0: all */
	/* Instructions of the whole program with all processes, counted by another emulated run if
	 * this one simulated only a part; absent: not counted. */
	struct sd_value whole;
	/* s that a first look and that count took: emulated runs that are not kept; absent: none */
	struct sd_value beside;
	struct sd_value cycles;       /* of the longest thread, by the latency model: an estimate */
	struct sd_sim_thread *thread; /* owned */
	size_t n_thread, n_thread_seen;
	struct sd_sim_contested *contested; /* owned; most HITM first */
	size_t n_contested, n_contested_seen;
	struct sd_sim_loop *loop; /* owned; most instructions first */
	size_t n_loop;
	struct sd_sim_block *block; /* owned; most instructions first */
	size_t n_block;
	struct sd_sim_race *race; /* owned */
	size_t n_race, n_race_seen;
	struct sd_sim_conflict *conflict; /* owned; most misses first */
	size_t n_conflict;
};

void sd_simulated_free(struct sd_simulated *s); /* frees what it owns and *s; accepts NULL */

#endif
