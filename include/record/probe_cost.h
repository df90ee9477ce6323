/*
 * Costs of measuring to the program, of the probes that work inside of it and whose
 * cost depends on what it does: measured by runs with all probes and runs without one.
 */
#ifndef SD_PROBE_COST_H
#define SD_PROBE_COST_H

#include "record/record.h"

/* A probe that takes more of the program's CPU time is left out. */
#define SD_PROBE_COST_MOST .02

/* Runs of each kind that are compared. */
#define SD_PROBE_COST_ROUNDS 2u

#define SD_PROBE_COSTS 2u
struct sd_probe_cost_row {
	enum sd_run_flag flag; /* of a run without it */
	const char *name;
	const char *few; /* why it was not measured */
};
extern const struct sd_probe_cost_row sd_probe_cost_row[SD_PROBE_COSTS];

/* Flags of those that ran in this run and, by how often the program calls them, may cost more than
 * half of SD_PROBE_COST_MOST. */
unsigned sd_probe_cost_may(const struct sd_run *run);

/* CPU time that the program takes more with the probe, as a share of that without it: the least of
 * the runs of either kind, since whatever else happens takes more. ABSENT: there is no pair. */
struct sd_value sd_probe_cost(const struct sd_record *r, enum sd_run_flag flag);

/* Flags of those that cost more than SD_PROBE_COST_MOST, in each run with them. */
unsigned sd_probe_cost_left_out(const struct sd_record *r);

#endif
