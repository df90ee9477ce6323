/*
 * Which MPI launchers this user's PATH has, and whose they are.
 */
#ifndef SD_MPI_LAUNCHERS_H
#define SD_MPI_LAUNCHERS_H

#include <stddef.h>

/* "mpirun (Open MPI), mpirun.mpich (MPICH), srun (Slurm)" into `out`; "" none. `root` is a prefix
 * of the folders. Returns how many. */
unsigned sd_mpi_launchers_find(const char *root, const char *path, char *out, size_t size);

#endif
