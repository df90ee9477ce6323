/*
 * Costs of measuring to the program, of the probes that work inside of it and whose
 * cost depends on what it does: measured by runs with all probes and runs without one.
 */
#ifndef SD_PROBE_COST_H
#define SD_PROBE_COST_H

#include "record/record.h"

/* A probe that takes more of the program's CPU time is left out, unless nothing else can tell what
 * it tells. */
#define SD_PROBE_COST_MOST .02

/* Runs of each kind that are compared. */
#define SD_PROBE_COST_ROUNDS 2u

/* Stands beside the flags of sd_run_flag: the run is made without samples. No record holds it, as a
 * run without samples has none. */
#define SD_PROBE_COST_UNSAMPLED (1u << 31)

#define SD_PROBE_COSTS 7u
struct sd_probe_cost_row {
	unsigned flag;    /* of a run without it; 0: it is bounded otherwise, see `few` */
	unsigned thinned; /* of a run with less of it, which is what happens instead of leaving it
			     out; 0: it is left out */
	const char *name;
	const char *few; /* why it was not measured, where the program seldom calls it */
	const char *per; /* what it costs by: "threads" */
	double a_second; /* of these, of CPU time, from which on it may cost half of the most */
	double most;     /* it is left out above; INFINITY: never */
	const char *unweighed; /* where it may cost more and was not measured it is left out, too,
				  and this is what is had instead; NULL: it stays */
	const char *stays;     /* why it is not left out above `most`, or NULL */
	int (*needed)(const struct sd_record *r); /* it stays whatever it costs; NULL: never */
	int (*ran)(const struct sd_record *r, const struct sd_run *run);
	double (*count)(const struct sd_run *run);
};
extern const struct sd_probe_cost_row sd_probe_cost_row[SD_PROBE_COSTS];

/* Did it run in any of the runs? */
int sd_probe_cost_ran(const struct sd_record *r, const struct sd_probe_cost_row *row);

/* The most that any of the runs with it calls it a second of CPU time; 0 in none. */
double sd_probe_cost_rate(const struct sd_record *r, const struct sd_probe_cost_row *row);

/* Flags of those that ran in this run, may be left out of one, and by how often the program calls
 * them may cost more than half of SD_PROBE_COST_MOST. */
unsigned sd_probe_cost_may(const struct sd_run *run);

/* CPU time that the program takes more with the probe, as a share of that without it: the least of
 * the runs of either kind, since whatever else happens takes more. ABSENT: there is no pair. */
struct sd_value sd_probe_cost(const struct sd_record *r, unsigned flag);

/* The same of the runs with less of it. ABSENT: it is not thinned, or there is no such run. */
struct sd_value sd_probe_cost_thinned(
	const struct sd_record *r, const struct sd_probe_cost_row *row);

/* Flags of those that cost more than their row's most, in each run with them, unless they are
 * needed; of one that is thinned, that of a run with less of it, where that costs less. And of
 * those with `unweighed` that may cost more, where no runs by turns tell, unless other runs than
 * these and the warm-up were made with them. */
unsigned sd_probe_cost_left_out(const struct sd_record *r);

/* How many times fewer samples and recorded switches a thinned run has: what they cost comes to
 * half of SD_PROBE_COST_MOST; 1 to SD_PROBE_COST_THINNEST. */
#define SD_PROBE_COST_THINNEST 16
double sd_probe_cost_thin(const struct sd_record *r);

#endif
