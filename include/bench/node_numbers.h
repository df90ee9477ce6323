/*
 * A node's numbers by name, as administrators ask for them: bandwidth, latency, line transfer,
 * clock; and the limits that are asked of it.
 */
#ifndef SD_NODE_NUMBERS_H
#define SD_NODE_NUMBERS_H

#include <stddef.h>

#include "bench/profile.h"

/* A whole calibration has these, or failed: "memory bandwidth of 2 cores, latency of memory" goes
 * to `out`. How many are missing. */
size_t sd_node_numbers_missing(const struct sd_profile *p, char *out, size_t size);

/* A limit, as it was written: NAME[@CORES|@all](>=|<=)NUMBER[UNIT]. */
struct sd_node_limit {
	char text[96];
	unsigned number; /* of the table of names */
	unsigned cores;  /* 0: all */
	int least;       /* >= */
	double bound;    /* in the number's unit */
};

/*
 * 0; -EINVAL and a reason, which names the text and what is allowed. Names: bandwidth (the best
 * loop), triad, copy, scale, add, read, write, each also with .nt or .regular (kind of store);
 * latency.l1, .l2, .llc, .dram (the smallest of the page sizes); transfer (the slowest pair of
 * CPUs); clock (of all cores busy, by that of one alone). Bandwidth is of all cores where no count
 * is given; the others take none.
 */
int sd_node_limit_parse(const char *text, struct sd_node_limit *out, char *why, size_t size);

enum sd_node_outcome { SD_NODE_HOLDS, SD_NODE_BROKEN, SD_NODE_UNDECIDED };

/*
 * Checks the limit against the median and its quartiles in the state that was seen most: it holds
 * or is broken when all three are on one side of the bound; undecided when the bound is within, or
 * there is no number. Writes the number to `said`: "41.2 GB/s (40.9-41.5)", or why there is none.
 */
enum sd_node_outcome sd_node_limit_check(
	const struct sd_node_limit *limit, const struct sd_profile *p, char *said, size_t size);

/*
 * The same numbers in a fixed order, i < SD_NODE_NUMBERS, of all cores and of the state that was
 * seen most. The interval is of the quartiles; absent where there is no number.
 */
#define SD_NODE_NUMBERS 23
const char *sd_node_numbers_name(size_t i);
const char *sd_node_numbers_unit(size_t i);
struct sd_interval sd_node_numbers_value(const struct sd_profile *p, size_t i);

#endif
