/*
 * Selects single rows of a calibration: the one place that maps a question to its row.
 */
#ifndef SD_PROFILE_PICK_H
#define SD_PROFILE_PICK_H

#include <stddef.h>

#include "bench/profile.h"

/* Which matching row: the first, or the one with the smallest or largest median. */
enum sd_pick { SD_PICK_FIRST, SD_PICK_LEAST, SD_PICK_MOST };

#define SD_PICK_ANY_STATE (-1)

struct sd_pick_query {
	const char *kernel; /* NULL: any */
	const char *words;  /* "key=value key=value": all must be in the variant; NULL: any */
	const char *unit;   /* NULL: any */
	const char *cpus;   /* the list as in the row; NULL: any */
	unsigned cores;     /* 0: any */
	int state;          /* of the machine, or SD_PICK_ANY_STATE */
	enum sd_pick pick;
};

/* Has the row a number (status ok or noisy, and samples)? */
int sd_bench_row_has(const struct sd_bench_row *row);

/* Are all words of `words`, separated by spaces, in the row's variant? */
int sd_bench_row_words(const struct sd_bench_row *row, const char *words);

/*
 * The row that matches a query: one with a number if there is one, else the first that says why
 * there is none, whatever its state (what cannot be measured is missing in all states). NULL: not
 * attempted.
 */
const struct sd_bench_row *sd_profile_pick(
	const struct sd_profile *p, const struct sd_pick_query *query);

/* The core counts that a kernel has rows for, ascending. Writes at most `room`; returns
 * how many. */
size_t sd_profile_counts(
	const struct sd_profile *p, const char *kernel, unsigned *count, size_t room);

#endif
