/*
 * How many pages a level of the TLB holds, searched for on the machine: the counts around the place
 * where a curve climbs are measured again and again, until no more of them changes the answer.
 */
#ifndef SD_REACH_H
#define SD_REACH_H

#include <stddef.h>

/* The fastest samples of one count of pages, ns an access: what disturbs only adds time. */
struct sd_fastest {
	double sparse, dense, hit; /* a line a page, packed lines, few lines; infinite: none */
};

extern const struct sd_fastest sd_fastest_none;

/* What a line a page costs more than packed ones, in accesses to the first cache; those count as
 * 1. NaN when nothing was measured. */
double sd_fastest_cost(const struct sd_fastest *f);

struct sd_reach_search {
	/* Measures and lowers *f to what was faster; 0 or -errno, which ends the search. */
	int (*measure)(void *ctx, unsigned pages, struct sd_fastest *f);
	int (*late)(void *ctx); /* no time is left: the search ends after the round it is in */
	void *ctx;
	double climb; /* a cost half way to the next level's */
};

/*
 * Between counts `low` (fits) and `high` (misses often): the knee of the curve, exactly. *settled:
 * the last few rounds agreed. 0, -ENODATA when there is no knee, or what `measure` returned.
 */
int sd_reach(const struct sd_reach_search *s, double low, double high, double *reach, int *settled);

#endif
