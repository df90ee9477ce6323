/*
 * CPU time in the garbage collector of a Java virtual machine, where that machine has taken another
 * collector at the largest point than at the reference: HotSpot chooses by the number of CPUs
 * (serial below two, G1 from there on). What the other collector does is work that the reference
 * does not have.
 */
#ifndef SD_COLLECTOR_TIME_H
#define SD_COLLECTOR_TIME_H

#include "case/case.h"

struct sd_collector_time {
	const char *before, *after; /* their names; before: NULL: it was not seen at work */
	struct sd_interval cores;   /* of the last point, beyond what the reference's took */
};

/* 1 and *out: the collectors differ. 0: they do not, or nobody sampled enough to know. */
int sd_collector_time_find(const struct sd_case *c, struct sd_collector_time *out);

#endif
