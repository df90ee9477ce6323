/*
 * A fleet's nodes for people: text, and a page with a map of nodes x ceilings.
 */
#ifndef SD_FLEET_REPORT_H
#define SD_FLEET_REPORT_H

#include <stdio.h>

#include "fleet/fleet_cause.h"
#include "fleet/fleet_changes.h"
#include "fleet/fleet_judge.h"
#include "page/report_style.h"

/* The nodes that are out, with numbers, likely causes and the command that drains them; no more of
 * them than `host` when that is not NULL. 0, -EIO or -ENOMEM. */
int sd_fleet_findings_text(FILE *f, const struct sd_fleet *fleet,
	const struct sd_fleet_findings *findings, const char *host,
	const struct sd_report_style *style);

/* All of it: each group with its numbers, who is out, settings that differ, who was not judged. */
int sd_fleet_text(FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings,
	const struct sd_report_style *style);
int sd_fleet_open_metrics(
	FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings);
int sd_fleet_html(FILE *f, const struct sd_fleet *fleet, const struct sd_fleet_findings *findings);

int sd_fleet_changes_text(
	FILE *f, const struct sd_fleet_changes *c, const struct sd_report_style *style);

/* A node's calibrations, the oldest first: numbers, and the settings that changed. */
int sd_fleet_history_text(
	FILE *f, const struct sd_fleet_node *node, size_t n, const struct sd_report_style *style);

/* ---- shared ---------------------------------------------------------------------------------- */

/* "-5.0 %" from the median. */
double sd_fleet_percent(double value, double median);

/* The numbers shown of a group: those that enough of its nodes have, each number of two names once.
 * number[SD_NODE_NUMBERS]; how many. */
size_t sd_fleet_shown(
	const struct sd_fleet *fleet, const struct sd_fleet_group *g, size_t number[]);

#endif
