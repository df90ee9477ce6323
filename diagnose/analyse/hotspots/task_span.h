/*
 * The speedup that a program of OpenMP tasks can have at all, from work and span of its runs
 * (METHODS 6.7).
 */
#ifndef SD_TASK_SPAN_H
#define SD_TASK_SPAN_H

#include "analysis/region_losses.h"
#include "record/region_run.h"
#include "runs/run_selection.h"

/* A run, or an account of one; s. */
struct sd_task_span_run {
	enum sd_span_state state; /* TOLD: the rest is known */
	double tasks;
	double rest;  /* outside of regions: as long on any number of cores */
	double work;  /* CPU time of all threads in regions with tasks */
	double span;  /* the longest chain in them */
	double loops; /* of regions without tasks, all threads of the team as long as the longest */
	double task_loop; /* the same in those with tasks, beside `span` */
};

/* Account of a run that took `wall` s and so much CPU time, s; INFINITY: not known. */
struct sd_task_span_run sd_task_span_of(const struct sd_region_run *r, double wall, double cpu);

/* s on p cores: no schedule takes less. */
double sd_task_span_least(const struct sd_task_span_run *t, double p);

/* s of one core. */
double sd_task_span_work(const struct sd_task_span_run *t);

/* 0 or -ENOMEM; *out, zeroed before, must be freed in every case. */
int sd_task_span_fill(const struct sd_run_selection *choice, struct sd_span_limits *out);

#endif
