/*
 * Which nodes of a fleet differ from their like. A pure function of their calibrations.
 */
#ifndef SD_FLEET_JUDGE_H
#define SD_FLEET_JUDGE_H

#include <stddef.h>

#include "fleet/fleet.h"

#define SD_FLEET_LEAST_NODES 4  /* fewer have no median that one bad node cannot move */
#define SD_FLEET_DEVIATIONS 4.0 /* median absolute deviations */
#define SD_FLEET_TRANSFER_PAIR                                            \
	SD_NODE_NUMBERS /* a finding's number that is of one pair of CPUs \
			 */

struct sd_fleet_finding {
	size_t node;   /* of fleet->node */
	size_t number; /* node_numbers.h, or SD_FLEET_TRANSFER_PAIR */
	size_t pair;   /* of the node's, for SD_FLEET_TRANSFER_PAIR */
	double median; /* of its group, in the number's unit */
	size_t alike;  /* nodes of the group that have this number */
};

/* The middle that a group's nodes are compared with in one number. */
struct sd_fleet_middle {
	double median; /* NAN: fewer than SD_FLEET_LEAST_NODES have the number */
	size_t alike;
};

struct sd_fleet_group {
	size_t first, end; /* nodes [first, end) of the fleet */
	struct sd_fleet_middle middle[SD_NODE_NUMBERS];
};

struct sd_fleet_findings {
	struct sd_fleet_finding *finding; /* owned; by node, then number, then pair */
	size_t n;
	struct sd_fleet_group *group; /* owned */
	size_t n_group;
	unsigned char *judged; /* owned; for each node: has a number that enough others have, too */
	size_t n_judged;
};

/*
 * A node is out when its whole interval is farther from the median of its group than `tolerance`
 * (.05 is 5 %) of it and than SD_FLEET_DEVIATIONS times the group's median absolute deviation, on
 * either side: a node that is too good has another setting, too. Each pair of CPUs is compared with
 * the same pair of the others, since pairs of one node differ by design. Groups of fewer than
 * SD_FLEET_LEAST_NODES with this number are not judged. Sorts the fleet. 0 or -ENOMEM; *out is
 * empty then.
 */
int sd_fleet_judge(struct sd_fleet *fleet, double tolerance, struct sd_fleet_findings *out);
void sd_fleet_findings_free(struct sd_fleet_findings *f); /* accepts the zeroed value */

/* The group of a node. */
const struct sd_fleet_group *sd_fleet_findings_group(
	const struct sd_fleet_findings *f, size_t node);

/* "triad", "transfer"; "GB/s", "ns". */
const char *sd_fleet_finding_name(const struct sd_fleet_finding *f);
const char *sd_fleet_finding_unit(const struct sd_fleet_finding *f);
struct sd_interval sd_fleet_finding_value(
	const struct sd_fleet *fleet, const struct sd_fleet_finding *f);

/* Is it worse than its like: a bandwidth or a clock that is low, a latency that is high? */
int sd_fleet_finding_worse(const struct sd_fleet *fleet, const struct sd_fleet_finding *f);

#endif
