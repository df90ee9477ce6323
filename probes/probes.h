/*
 * The probes, one a file.
 */
#ifndef SD_PROBES_H
#define SD_PROBES_H

#include "probe/probe.h"

extern const struct sd_probe sd_probe_counters;   /* perf_event_open: cycles, switches, … */
extern const struct sd_probe sd_probe_roles;      /* perf_event_open: the roles of a pass */
extern const struct sd_probe sd_probe_throttle;   /* the cgroup's CPU quota */
extern const struct sd_probe sd_probe_pressure;   /* PSI of the machine */
extern const struct sd_probe sd_probe_cputime;    /* steal, and other processes on our CPUs */
extern const struct sd_probe sd_probe_tasks;      /* thread states; reads what `throttle` found */
extern const struct sd_probe sd_probe_simulation; /* of an emulated run: its plugin's file */
extern const struct sd_probe sd_probe_totals;     /* the same, where it only counts instructions */
extern const struct sd_probe sd_probe_memory;     /* perf_event_open: loads and stores sampled */
extern const struct sd_probe sd_probe_width;      /* do others use the cores of our CPUs? */
extern const struct sd_probe sd_probe_sampling;   /* perf_event_open: samples and switches */

#endif
