/*
 * Picking single rows of a calibration: the one place that knows how a question finds its row.
 */
#ifndef SD_PROFILE_PICK_H
#define SD_PROFILE_PICK_H

#include <stddef.h>

#include "bench/profile.h"

/* Which of the rows that fit: the first, or the one with the least or the greatest median. */
enum sd_pick { SD_PICK_FIRST, SD_PICK_LEAST, SD_PICK_MOST };

#define SD_PICK_ANY_STATE (-1)

struct sd_pick_query {
	const char *kernel; /* NULL: any */
	const char *words;  /* "key=value key=value": the variant has them all; NULL: none asked */
	const char *unit;   /* NULL: any */
	const char *cpus;   /* the list, as the row has it; NULL: any */
	unsigned cores;     /* 0: any */
	int state;          /* of the machine, or SD_PICK_ANY_STATE */
	enum sd_pick pick;
};

/* Has the row a number (status ok or noisy, and samples)? */
int sd_bench_row_has(const struct sd_bench_row *row);

/* Are all words of `words`, separated by spaces, in the row's variant? */
int sd_bench_row_words(const struct sd_bench_row *row, const char *words);

/*
 * The row that a query means. One with a number if there is one; else the first that says why there
 * is none, whatever its state, since what could not be measured was not measured in any. NULL:
 * nobody tried.
 */
const struct sd_bench_row *sd_profile_pick(
	const struct sd_profile *p, const struct sd_pick_query *query);

/* The core counts that a kernel has rows of, rising: at most `room` are written; how many. */
size_t sd_profile_counts(
	const struct sd_profile *p, const char *kernel, unsigned *count, size_t room);

#endif
