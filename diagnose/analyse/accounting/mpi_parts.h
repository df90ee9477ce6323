/*
 * Splits the capacity of an MPI run by what its ranks logged (METHODS 1.4, additive POP).
 */
#ifndef SD_MPI_PARTS_H
#define SD_MPI_PARTS_H

#include "accounting/run_parts.h"

/* Were the calls of all its ranks replayed? */
int sd_mpi_parts_known(const struct sd_run *run);

/*
 * Core-seconds of each part of a run on n cores that took run->metric[SD_METRIC_WALL], into `part`:
 * imbalance, serialisation, transfer, MPI-IO and lost CPUs between MPI_Init() and MPI_Finalize(),
 * each rank holding n / ranks cores; before and after them all is launch. `part`'s user and system
 * time on entry are the kernel's, and become those outside of MPI. What a rank's threads left idle
 * while it was outside of MPI is returned, for whoever knows why.
 */
double sd_mpi_parts_split(const struct sd_run *run, unsigned n, double part[SD_PART_COUNT]);

#endif
