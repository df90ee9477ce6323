/*
 * The logged calls of MPI ranks once more, with messages that take no time: each rank computes as
 * long as it did, and waits only for what others have not done yet. How long that takes is T_ideal
 * (METHODS 1.4); no clock is compared with that of another rank.
 */
#ifndef SD_MPI_REPLAY_H
#define SD_MPI_REPLAY_H

#include "mpi/mpi_match.h"

struct sd_mpi_replayed {
	double seconds; /* until the last rank is done */
	size_t stuck;   /* calls that waited for what is in no log, and were let go */
};

/*
 * `synchronous`: of each event, whether a send waited for its receiver (mpi_waits.h). `delays`:
 * with the time too that ranks were ready and had no CPU. 0 or -ENOMEM.
 */
int sd_mpi_replay(const struct sd_mpi_ranks *ranks, const struct sd_mpi_match *m,
	const unsigned char *synchronous, int delays, struct sd_mpi_replayed *out);

#endif
