/*
 * A fleet as a document: text and page print the same blocks.
 */
#ifndef SD_FLEET_FACTS_H
#define SD_FLEET_FACTS_H

#include "facts/document.h"
#include "fleet/fleet_judge.h"

/* A group, whose nodes x numbers are drawn where there is room: the picture "map". */
struct sd_fleet_map {
	const struct sd_fleet *fleet;
	const struct sd_fleet_findings *findings;
	const struct sd_fleet_group *group;
};

/* All of it, as sd_fleet_text() and sd_fleet_html() print it. */
void sd_fleet_facts(struct sd_document *b, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings);

#endif
