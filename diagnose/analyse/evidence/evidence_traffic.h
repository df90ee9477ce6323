/*
 * Speed and cache lines of all points as curves: what a plateau says about bandwidth, shared cache
 * and remote memory (METHODS 3), even if only times and misses are known.
 */
#ifndef SD_EVIDENCE_TRAFFIC_H
#define SD_EVIDENCE_TRAFFIC_H

#include "case/case.h"

struct sd_evidence_traffic {
	const char *what;  /* what the lines are: "lines from memory", ...; NULL: not known at all
			      points */
	int exact;         /* all lines, not a proportional part of them */
	size_t from;       /* first point of the plateau of the lines' rate; n_point: none */
	size_t speed_from; /* likewise, of the speed */
	double rate_change, speed_change; /* over the plateau of the speed: last / first - 1 */
	double most, last; /* lines for the same work / the reference's: the most on the plateau of
			      the rate; at the last point */
};

/*
 * A verdict from the curves alone, for records without CPU times. 1 and *verdict if they say
 * something about this cause, else 0.
 */
int sd_evidence_traffic_judge(
	struct sd_case *c, enum sd_cause cause, struct sd_finding *f, enum sd_verdict *verdict);

/* Adds evidence of bandwidth from counts: GB/s, appetite, the core count at which the ceiling is
 * reached.
 */
void sd_evidence_traffic_say(struct sd_case *c, struct sd_finding *f);

/* If bytes/s still grow with the cores, far from the ceiling, says so and returns 1. */
int sd_evidence_traffic_falsified(struct sd_case *c, struct sd_finding *f);

#endif
