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

/* Each of these says what it found, with CPU times and without. */

/* Does the speed stop growing? Then memory may be the limit: 1; *sure where the lines' rate stops
 * as well, at so many counts that these stand for repeated runs, and the node moves no more. */
int sd_evidence_traffic_plateau(struct sd_case *c, struct sd_finding *f, int *sure);

/*
 * Is the bus, or what memory moves by the very benchmark that says so, full at the judged count?
 * Then no other change makes the program faster than it allows: *cores of the loss are surely its
 * own (METHODS 4.1). 0: it is not full, or nobody counted.
 */
int sd_evidence_traffic_full(struct sd_case *c, struct sd_finding *f, struct sd_interval *cores);

/* Do lines take longer while no more of them come a second, for the same work? That is bandwidth,
 * however much. */
int sd_evidence_traffic_queues(struct sd_case *c, struct sd_finding *f);

/* Lines for the same work, by the reference's: without them the program is at most so many times as
 * fast. < 0: unknown. */
double sd_evidence_traffic_lines(struct sd_case *c, struct sd_finding *f);

/* Does the lines' rate still grow while the speed does not? They take longer, or are more. */
int sd_evidence_traffic_remote(struct sd_case *c, struct sd_finding *f);

/* Adds evidence of bandwidth from counts: GB/s, appetite, the core count at which the ceiling is
 * reached.
 */
void sd_evidence_traffic_say(struct sd_case *c, struct sd_finding *f);

/* If bytes/s still grow with the cores, far from the ceiling, says so and returns 1. */
int sd_evidence_traffic_falsified(struct sd_case *c, struct sd_finding *f);

#endif
