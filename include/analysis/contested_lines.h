/*
 * What `scalediag lines` shows of one run: its contested lines with what to do about each, and of a
 * simulated one its working sets against the last-level cache. A pure function of the record.
 */
#ifndef SD_CONTESTED_LINES_H
#define SD_CONTESTED_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "base/texts.h"
#include "analysis/waste.h"

struct sd_line_view {
	const struct sd_sim_contested *line; /* borrowed from the record */
	const struct sd_mem_line *sampled;   /* the same, of a sampled run; else NULL */
	uint64_t shared;                     /* bytes that one thread writes and another touches */
	uint64_t touched;                    /* by any thread */
	unsigned readers, writers;           /* threads of it that read, that write */
	double hitm;                         /* loads and stores */
	double accesses;                     /* of all its threads */
	double locked;                       /* share of the accesses that are locked */
	struct sd_value saved; /* moves that go when each thread's bytes have a line of their own */
	int matters;           /* so many moves that they cost a thousandth of the run or more; of
				  samples: a thousandth of the loads, and no stray ones */
	struct sd_texts advice; /* owned */
};

/* Misses that an LLC of this size would have, for every thread all of it. */
struct sd_llc_view {
	double bytes;
	double misses;   /* of all threads */
	double per_1000; /* instructions */
	int is_share;    /* this size is a thread's share of the modelled LLC */
};

#define SD_CONTESTED_LINES_SIZES 16

/* A size at which a thread's misses fall: what it uses again and again fits there. */
#define SD_CONTESTED_LINES_SHOULDERS 4
struct sd_shoulder {
	double bytes;
	double accesses; /* share of all accesses that hit from this size on and not below */
};

struct sd_working_set {
	size_t thread; /* index */
	struct sd_shoulder shoulder[SD_CONTESTED_LINES_SHOULDERS];
	size_t n_shoulder;
	int fits; /* the largest is within its share of the LLC */
};

struct sd_contested_lines {
	const struct sd_run *run;             /* borrowed; NULL: the record has no such run */
	const struct sd_simulated *simulated; /* of the two one is there, the other NULL */
	const struct sd_memory_sampled *sampled;
	unsigned cores;
	unsigned bytes;            /* of a line */
	size_t n_seen;             /* lines that moved, kept or not */
	double hitm;               /* of the whole run: moves, or samples of them */
	struct sd_line_view *line; /* owned; most HITM first */
	size_t n_line, n_matter;   /* those that matter stand first */
	double share;              /* bytes of LLC that a thread has when all run */
	struct sd_llc_view llc[SD_CONTESTED_LINES_SIZES];
	size_t n_llc;
	struct sd_working_set *set; /* owned; one a thread */
	size_t n_set;
	struct sd_waste waste[SD_WASTE_COUNT]; /* of a simulated run */
};

/*
 * Of the simulated run at `cores`, 0: the one with most; where there is none, of the sampled one,
 * and with `sampled` of that one only. 0; -ENOENT: there is none (at this count); -ENOMEM. *out is
 * to be freed in every case.
 */
int sd_contested_line_list_make(
	const struct sd_record *r, unsigned cores, int sampled, struct sd_contested_lines *out);
void sd_contested_lines_free(struct sd_contested_lines *l); /* accepts the zeroed value */

#endif
