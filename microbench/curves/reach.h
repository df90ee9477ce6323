/*
 * Searches for the number of pages a TLB level holds: measures the counts around the climb of the
 * curve again and again until further samples no longer change the answer.
 */
#ifndef SD_REACH_H
#define SD_REACH_H

#include <stddef.h>

/* The fastest samples of one page count, ns an access: disturbances only add time. */
struct sd_fastest {
	double sparse, dense, hit; /* a line a page, packed lines, few lines; infinite: none */
};

extern const struct sd_fastest sd_fastest_none;

/* The extra cost of one line a page over packed lines, in units of accesses to the first cache. NaN
 * if nothing was measured. */
double sd_fastest_cost(const struct sd_fastest *f);

struct sd_reach_search {
	/* Measures and lowers *f to faster samples; 0, or -errno to end the search. */
	int (*measure)(void *ctx, unsigned pages, struct sd_fastest *f);
	int (*late)(void *ctx); /* time is up: the search ends after the current round */
	void *ctx;
	double climb; /* cost half way to the next level's */
};

/*
 * Finds the exact knee of the curve between counts `low` (fits) and `high` (misses often).
 * *settled: the last few rounds agreed. 0; -ENODATA: no knee; or what `measure` returned.
 */
int sd_reach(const struct sd_reach_search *s, double low, double high, double *reach, int *settled);

#endif
