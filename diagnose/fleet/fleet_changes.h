/*
 * Changes from one calibration of each node to another: a new BIOS, kernel or setting, seen over
 * many nodes.
 */
#ifndef SD_FLEET_CHANGES_H
#define SD_FLEET_CHANGES_H

#include "base/texts.h"
#include "fleet/fleet_judge.h"

/* A number of the nodes that are alike. */
struct sd_fleet_change {
	const char *group;        /* of the nodes before; borrowed */
	size_t number;            /* node_numbers.h */
	struct sd_interval ratio; /* after / before: median over nodes with its 95 % interval */
	size_t nodes;
	int changed; /* all of the interval is farther from 1 than the tolerance */
};

/* A node that changed otherwise than its like. */
struct sd_fleet_odd {
	const char *host; /* borrowed */
	size_t number;
	double ratio, usual;
};

struct sd_fleet_changes {
	struct sd_fleet_change *change; /* owned; what could be compared, by group and number */
	size_t n;
	struct sd_fleet_odd *odd; /* owned */
	size_t n_odd;
	struct sd_texts facts;        /* "kernel: 6.1 before, 6.12 after, on 60 of 64 nodes" */
	size_t paired, before, after; /* nodes */
};

/*
 * Pairs nodes by host; needs SD_FLEET_LEAST_NODES of a group for a number. Both fleets are sorted
 * and stay borrowed. 0 or -ENOMEM, *out empty.
 */
int sd_fleet_changes_find(struct sd_fleet *before, struct sd_fleet *after, double tolerance,
	struct sd_fleet_changes *out);
void sd_fleet_changes_free(struct sd_fleet_changes *c);

#endif
