/*
 * Causes that set a node apart, by which of its numbers moved and by how it is set up.
 */
#ifndef SD_FLEET_CAUSE_H
#define SD_FLEET_CAUSE_H

#include "fleet/fleet_judge.h"
#include "base/texts.h"

/* The settings that most nodes of a group have. */
struct sd_fleet_usual {
	/* "" where no text stands on half of the nodes, or most do not tell */
	const char *text[SD_NODE_FACT_COUNT];
};

/* Reads them off the facts in `fleet`; borrowed. 0 or -ENOMEM. */
int sd_fleet_usual_of(const struct sd_fleet *fleet, const struct sd_fleet_group *group,
	struct sd_fleet_usual *out);

/*
 * Appends to *out the likely causes of one node's findings [first, first + n), the likeliest first:
 * settings that differ from the usual ones and bear on what moved; else what the pattern says (a
 * memory channel, a pair of cores, the clock); never empty for n > 0. 0 or -ENOMEM.
 */
int sd_fleet_causes(const struct sd_fleet *fleet, const struct sd_fleet_usual *usual,
	const struct sd_fleet_finding *first, size_t n, struct sd_texts *out);

/*
 * Settings in which a node differs from the usual ones, a sentence each, boot arguments by the
 * words that differ. 0 or -ENOMEM.
 */
int sd_fleet_settings(
	const struct sd_fleet_node *node, const struct sd_fleet_usual *usual, struct sd_texts *out);

/*
 * Why a node that was not judged stands alone: "has no like; 63 nodes of its CPU model have 192
 * CPUs, 256 GiB …", or that too few are like it. Never empty.
 */
void sd_fleet_alone(const struct sd_fleet *fleet, const struct sd_fleet_findings *findings,
	size_t node, char *out, size_t size);

#endif
