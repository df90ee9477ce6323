/*
 * How far the clock of each node is behind that of the first rank's.
 */
#ifndef SD_MPI_CLOCKS_H
#define SD_MPI_CLOCKS_H

#include "mpi/mpi_match.h"

/*
 * offset[host]: ns to add to a time of that node, for `hosts` nodes. Between nodes that never
 * waited for each other it is 0. 0 or -ENOMEM.
 */
int sd_mpi_clocks(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m, size_t hosts,
	double *offset);

#endif
