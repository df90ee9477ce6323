/*
 * Functions whose whole work every core repeats: their CPU time grows in proportion to the cores.
 * Divided work keeps its CPU time, and work slowed by hardware or shared lines rarely grows by
 * exactly that factor (METHODS 2.3.12).
 */
#ifndef SD_REPEATED_WORK_H
#define SD_REPEATED_WORK_H

#include "case/case.h"

struct sd_repeated_work {
	double cores;      /* added by them, in cores of the last point */
	double share;      /* share of all added user time */
	double times;      /* of the largest: its CPU time / the reference's */
	unsigned function; /* the largest, an index into the spread's places; 0: none */
};

/* From samples at the reference and the last point, for equal work at both. 0 or -ENOMEM. */
int sd_repeated_work_find(const struct sd_case *c, struct sd_repeated_work *out);

#endif
