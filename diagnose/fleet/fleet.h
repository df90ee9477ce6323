/*
 * The nodes of a fleet: of each the numbers of a calibration, and how it was set up.
 */
#ifndef SD_FLEET_H
#define SD_FLEET_H

#include <stddef.h>

#include "bench/node_numbers.h"
#include "machine/node_facts.h"

#define SD_FLEET_CPUS_SIZE 32

/* The round trip of a line between two CPUs, ns. */
struct sd_fleet_pair {
	char cpus[SD_FLEET_CPUS_SIZE]; /* as the profile writes them: "0-1", "3,17" */
	struct sd_interval round_trip;
};

struct sd_fleet_node {
	char host[256];
	char group[256]; /* nodes with the same text are alike: CPU model, CPUs, memory, caches */
	unsigned model_length; /* bytes of it that are the CPU model */
	double start;          /* of the calibration, s since the epoch */
	int quick;
	struct sd_interval number[SD_NODE_NUMBERS]; /* node_numbers.h */
	const struct sd_node_facts *facts;          /* never NULL in a fleet */
	struct sd_fleet_pair *pair; /* owned, with facts: by the fleet, or by a node alone */
	size_t n_pair;
};

struct sd_fleet {
	struct sd_fleet_node *node; /* owned; after sd_fleet_sort() by group, then host */
	size_t n;
	struct sd_node_facts **facts; /* owned; nodes with the same share them */
	size_t n_facts;
};

#define SD_FLEET_PAIRS_MAX 4096u

/* Fills *out (any value) with the node of this calibration. 0; -ENOMEM, *out zeroed. */
int sd_fleet_node_of(const struct sd_profile *p, struct sd_fleet_node *out);
void sd_fleet_node_free(struct sd_fleet_node *node); /* one alone; accepts the zeroed value */

/* Takes the node over, whose pairs become the fleet's; *node is zeroed also on failure. 0 or
 * -ENOMEM. */
int sd_fleet_add(struct sd_fleet *fleet, struct sd_fleet_node *node);

/* Sorts by group, then host; keeps the newest of several calibrations of one host, in any group. */
void sd_fleet_sort(struct sd_fleet *fleet);

/* The node of that host, NULL: none. */
const struct sd_fleet_node *sd_fleet_find(const struct sd_fleet *fleet, const char *host);

void sd_fleet_free(struct sd_fleet *fleet); /* accepts the zeroed value */

#endif
