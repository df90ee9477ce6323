/*
 * Is the program that is run a launcher of MPI ranks?
 */
#ifndef SD_MPI_LAUNCHER_H
#define SD_MPI_LAUNCHER_H

/* By the last part of the command's name: mpirun, mpiexec, srun and their like, also with a suffix
 * as Debian's mpirun.openmpi has. */
int sd_mpi_launcher_is(const char *command);

#endif
