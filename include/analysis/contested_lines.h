/*
 * The contents of `scalediag lines` for one run: contested lines with advice for each and, if the
 * run was simulated, working sets against the last-level cache. A pure function of the record.
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
	const struct sd_mem_line *sampled;   /* the same line of a sampled run; else NULL */
	const struct sd_native_line *native; /* the same of the program's own samples; else NULL */
	uint64_t shared;                     /* bytes that one thread writes and another touches */
	uint64_t touched;                    /* by any thread */
	unsigned readers, writers;           /* threads that read it, that write it */
	double hitm;                         /* loads and stores */
	double accesses;                     /* of all its threads */
	double locked;                       /* share of the accesses that are locked */
	struct sd_value saved; /* moves avoided if each thread's bytes had a line of their own */
	int matters; /* its moves cost at least a thousandth of the run; if sampled, at least a
			thousandth of the loads, and not by chance */
	struct sd_texts advice; /* owned */
};

/* Misses with an LLC of this size for each thread alone. */
struct sd_llc_view {
	double bytes;
	double misses;   /* of all threads */
	double per_1000; /* instructions */
	int is_share;    /* this size is a thread's share of the modelled LLC */
};

#define SD_CONTESTED_LINES_SIZES 16

/* A size at which a thread's misses drop, because a working set fits. */
#define SD_CONTESTED_LINES_SHOULDERS 4
struct sd_shoulder {
	double bytes;
	double accesses; /* share of all accesses that hit from this size on but not below */
};

struct sd_working_set {
	size_t thread; /* index */
	struct sd_shoulder shoulder[SD_CONTESTED_LINES_SHOULDERS];
	size_t n_shoulder;
	int fits; /* the largest is within its share of the LLC */
};

struct sd_contested_lines {
	const struct sd_run *run;             /* borrowed; NULL: the record has no such run */
	const struct sd_simulated *simulated; /* exactly one of these is set, the others NULL */
	const struct sd_memory_sampled *sampled;
	const struct sd_native_lines *native;
	unsigned cores;
	unsigned bytes;            /* of a line */
	size_t n_seen;             /* lines that moved, kept or not */
	double hitm;               /* of the whole run: moves, or samples of moves */
	struct sd_line_view *line; /* owned; most HITM first */
	size_t n_line, n_matter;   /* those that matter come first */
	double share;              /* bytes of LLC for each thread when all run */
	struct sd_llc_view llc[SD_CONTESTED_LINES_SIZES];
	size_t n_llc;
	struct sd_working_set *set; /* owned; one a thread */
	size_t n_set;
	struct sd_waste waste[SD_WASTE_COUNT]; /* of a simulated run */
};

/*
 * Uses the simulated run at `cores` (0: at the largest count), or the sampled run if there is none;
 * with `sampled` only the sampled run. 0; -ENOENT: no such run; -ENOMEM. *out must be freed in
 * every case.
 */
int sd_contested_line_list_make(
	const struct sd_record *r, unsigned cores, int sampled, struct sd_contested_lines *out);
/* Makes it from the program's own samples at `cores` (0: at the largest count that looked), of the
 * run that met most contested lines. 0, -ENOENT, -ENOMEM; *out likewise. */
int sd_contested_line_list_native(
	const struct sd_record *r, unsigned cores, struct sd_contested_lines *out);
void sd_contested_lines_free(struct sd_contested_lines *l); /* accepts the zeroed value */

#endif
