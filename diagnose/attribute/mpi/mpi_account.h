/*
 * The logs of a run's MPI ranks to what it lost, and to whom.
 */
#ifndef SD_MPI_ACCOUNT_H
#define SD_MPI_ACCOUNT_H

#include "record/mpi_run.h"
#include "trace/mpi_ranks.h"

/*
 * Fills the ranks' times, elapsed, ideal, waits and what could not be divided of *run, whose hosts
 * and sites the caller has filled. 0 or -ENOMEM.
 */
int sd_mpi_account(const struct sd_mpi_ranks *ranks, struct sd_mpi_run *run);

#endif
