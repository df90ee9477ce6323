/*
 * The places of a run that call MPI: each once for all ranks, named by function and line.
 */
#ifndef SD_MPI_SITES_H
#define SD_MPI_SITES_H

#include "mpi/mpi_fragment.h"
#include "record/mpi_run.h"
#include "record/stacks.h"

struct sd_mpi_sites {
	uint32_t *row; /* owned; of all ranks' sites one after the other, rows of the run's */
};

/* Fills run->site, and the `site` of each rank. Beyond SD_MPI_RUN_SITES a site has no row. `stacks`
 * NULL: without names. 0 or -ENOMEM. */
int sd_mpi_sites_make(struct sd_mpi_sites *s, struct sd_mpi_fragments *f, struct sd_stacks *stacks,
	struct sd_mpi_run *run);
void sd_mpi_sites_free(struct sd_mpi_sites *s); /* accepts the zeroed value */

#endif
