/*
 * Which nodes of a fleet differ from their like. A pure function of their calibrations.
 */
#ifndef SD_FLEET_JUDGE_H
#define SD_FLEET_JUDGE_H

#include <stddef.h>

#include "bench/node_numbers.h"

#define SD_FLEET_LEAST_NODES 4  /* fewer have no median that one bad node cannot move */
#define SD_FLEET_DEVIATIONS 4.0 /* median absolute deviations */

struct sd_fleet_node {
	char host[256];
	char group[192]; /* nodes with the same text are alike: CPU model, CPUs, caches */
	double start;    /* of the calibration, s since the epoch */
	struct sd_interval number[SD_NODE_NUMBERS]; /* node_numbers.h */
};

struct sd_fleet {
	struct sd_fleet_node *node; /* owned; after sd_fleet_judge() by group, then host */
	size_t n;
};

struct sd_fleet_finding {
	size_t node;   /* of fleet->node */
	size_t number; /* node_numbers.h */
	double median; /* of its group, in the number's unit */
	size_t alike;  /* nodes of the group that have this number */
};

struct sd_fleet_findings {
	struct sd_fleet_finding *finding; /* owned; by node, then number */
	size_t n;
	size_t judged; /* nodes with a number that enough others have, too */
};

/* Adds the node of this calibration; of several of one host and group the newest stays. 0 or
 * -ENOMEM. */
int sd_fleet_add(struct sd_fleet *fleet, const struct sd_profile *p);
void sd_fleet_free(struct sd_fleet *fleet); /* accepts the zeroed value */

/*
 * A node is out when its whole interval is farther from the median of its group than `tolerance`
 * (.05 is 5 %) of it and than SD_FLEET_DEVIATIONS times the group's median absolute deviation, on
 * either side: a node that is too good has another setting, too. Groups of fewer than
 * SD_FLEET_LEAST_NODES with this number are not judged. 0 or -ENOMEM; *out is empty then.
 */
int sd_fleet_judge(struct sd_fleet *fleet, double tolerance, struct sd_fleet_findings *out);
void sd_fleet_findings_free(struct sd_fleet_findings *f); /* accepts the zeroed value */

#endif
