/*
 * Which events of MPI ranks belong together: a send and its receive, the members of one collective
 * call, and what ended in a wait with what had started it.
 */
#ifndef SD_MPI_MATCH_H
#define SD_MPI_MATCH_H

#include "trace/mpi_ranks.h"

#define SD_MPI_MATCH_NONE SIZE_MAX

/* Events of all ranks together that are matched, at most. */
#define SD_MPI_MATCH_EVENTS ((size_t)1 << 26)

/* One collective call: its members, by their rank in the communicator, are events. */
struct sd_mpi_collective {
	size_t first; /* in sd_mpi_match.member */
	unsigned n;
};

struct sd_mpi_match {
	size_t n_event;
	size_t *base; /* owned; of each rank's first event, among all; one more for the end */
	/* owned; by event. Of a receive, and of the call that posted it, the send; of a send where
	 * its receive was posted; of DONE what started it; of a collective call, or the DONE of
	 * one, its row below; NONE */
	size_t *partner;
	size_t *collective;
	struct sd_mpi_collective *call; /* owned */
	size_t n_call;
	size_t *member;   /* owned; events */
	size_t unmatched; /* receives and sends without a partner, members that are missing */
};

/* 0; -ENOMEM; -E2BIG: more events than are matched. */
int sd_mpi_match_make(struct sd_mpi_match *m, const struct sd_mpi_ranks *ranks);
void sd_mpi_match_free(struct sd_mpi_match *m); /* accepts the zeroed value */

/* The rank, among those given, whose event it is. */
size_t sd_mpi_match_rank(const struct sd_mpi_match *m, size_t n_rank, size_t event);

#endif
