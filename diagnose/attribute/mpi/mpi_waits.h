/*
 * Waits between ranks, from the times at which they entered the calls that belong together, on one
 * clock. Clocks of different nodes are brought together by what they exchanged: nobody leaves a
 * call before the one it waited for has entered.
 */
#ifndef SD_MPI_WAITS_H
#define SD_MPI_WAITS_H

#include "mpi/mpi_match.h"
#include "record/mpi_run.h"

/*
 * Fills run->wait with at most SD_MPI_RUN_WAITS rows, most seconds first, and n_wait_seen. Sites
 * are those of sd_mpi_rank.site. `synchronous`: m->n_event bytes, set to 1 for sends (and the DONE
 * of a started one) that lasted until their receiver came. 0 or -ENOMEM.
 */
int sd_mpi_waits(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
	unsigned char *synchronous, struct sd_mpi_run *run);

#endif
