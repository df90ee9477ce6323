/*
 * The speed and the lines of all points as curves: what a plateau says about bandwidth, shared
 * cache and memory of other nodes (METHODS 3), also where nothing but times and misses is known.
 */
#ifndef SD_EVIDENCE_TRAFFIC_H
#define SD_EVIDENCE_TRAFFIC_H

#include "case/case.h"

struct sd_evidence_traffic {
	const char
		*what; /* the lines are these: "lines from memory", ...; NULL: none at all points */
	int exact;     /* they are all lines, not a part of them that goes along */
	size_t from;   /* first point of the plateau of the lines' rate; n_point: there is none */
	size_t speed_from; /* the same of the speed */
	double rate_change,
		speed_change; /* over the plateau of the speed, last over first less 1 */
	double most, last;    /* lines for the same work, over the reference's: most of any
				 point of the plateau of the rate; of the last point */
};

/*
 * A verdict from the curves alone, for a record without CPU times. 1 and *verdict when they say
 * something about this cause, 0 when not.
 */
int sd_evidence_traffic_judge(
	struct sd_case *c, enum sd_cause cause, struct sd_finding *f, enum sd_verdict *verdict);

/* The evidence of counts about bandwidth: GB/s, appetite, at how many cores the ceiling is reached.
 */
void sd_evidence_traffic_say(struct sd_case *c, struct sd_finding *f);

/* Bytes a second still grow with the cores, far from the ceiling: says so, returns 1. */
int sd_evidence_traffic_falsified(struct sd_case *c, struct sd_finding *f);

#endif
