/*
 * The probes, one a file.
 */
#ifndef SD_PROBES_H
#define SD_PROBES_H

#include "probe/probe.h"

extern const struct sd_probe sd_probe_task_counters; /* perf_event_open: cycles, switches, … */
extern const struct sd_probe sd_probe_hardware_counters; /* perf_event_open: the roles of a pass */
extern const struct sd_probe sd_probe_cpu_quota;         /* the cgroup's CPU quota */
extern const struct sd_probe sd_probe_pressure;          /* PSI of the machine */
extern const struct sd_probe sd_probe_steal_time; /* steal, and other processes on our CPUs */
extern const struct sd_probe
	sd_probe_thread_states;                   /* thread states; reads what `throttle` found */
extern const struct sd_probe sd_probe_simulation; /* reads the plugin's file of an emulated run */
extern const struct sd_probe
	sd_probe_instruction_totals;                 /* likewise, if it only counts instructions */
extern const struct sd_probe sd_probe_memory_access; /* perf_event_open: loads and stores sampled */
extern const struct sd_probe
	sd_probe_mpi_launch; /* when ranks came out of MPI_Init(), if that is all they logged */
extern const struct sd_probe sd_probe_mpi_calls; /* reads what the ranks of an MPI run logged */
extern const struct sd_probe sd_probe_openmp_regions; /* reads what a program of OpenMP logged */
extern const struct sd_probe sd_probe_marked_regions; /* reads what the program marked itself */
extern const struct sd_probe sd_probe_core_sharing;   /* do others use our CPUs' cores? */
extern const struct sd_probe sd_probe_sampling;       /* perf_event_open: samples and switches */
extern const struct sd_probe sd_probe_neighbours;     /* other processes, after disturbed runs */
extern const struct sd_probe
	sd_probe_kernel_locks; /* programs in the kernel: waits for its own locks */

#endif
