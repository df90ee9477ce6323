/*
 * Sets the environment that a launcher hands on to its ranks: where their calls are logged, and who
 * measures them where this scalediag cannot see them.
 */
#ifndef SD_RANK_ENVIRONMENT_H
#define SD_RANK_ENVIRONMENT_H

/* Variables. The library that is preloaded into ranks (probes/mpi/preload) knows the first four
 * too. */
#define SD_RANK_FOLDER "SCALEDIAG_MPI_FOLDER"    /* for logs and parts; while it is there, we are */
#define SD_RANK_AGENT "SCALEDIAG_RANK_AGENT"     /* the program that measures a rank */
#define SD_RANK_PARENT "SCALEDIAG_RANK_PARENT"   /* HOST PID: whose tree is measured already */
#define SD_RANK_CALLS "SCALEDIAG_MPI_CALLS"      /* "none": ranks log their launch alone */
#define SD_RANK_THREADS "SCALEDIAG_RANK_THREADS" /* cores of each rank */
#define SD_RANK_SAMPLES "SCALEDIAG_RANK_SAMPLES" /* "none": not sampled */

struct sd_rank_environment {
	char *const *argv;            /* of the launcher */
	const char *library, *folder; /* paths, absolute */
	unsigned threads;
	int no_samples;
	int no_calls; /* ranks log their launch alone, and none gets an agent */
};

/* Adds them to the list (environment.h); for Open MPI's mpirun also which of them other nodes get,
 * unless the user says so (-x). 0 or -ENOMEM. */
int sd_rank_environment_set(char ***envp, const struct sd_rank_environment *of);

#endif
