/*
 * The ranks of one MPI run as they were logged: what the probe hands to attribution, which replays
 * their calls (accountant.h).
 */
#ifndef SD_MPI_RANKS_H
#define SD_MPI_RANKS_H

#include <stddef.h>

#include "trace/mpi_log.h"

/* One rank's log, checked: its indices are in bounds, its texts end, its times do not go back. */
struct sd_mpi_rank {
	const struct sd_mpi_log *head; /* borrowed */
	const struct sd_mpi_event *event;
	size_t n_event;
	int folded;           /* there were more calls than events */
	int unfinished;       /* it never came to the end of MPI_Finalize() */
	const uint32_t *site; /* of its sites, rows of the run's; head->sites of them, borrowed */
};

struct sd_mpi_ranks {
	struct sd_mpi_rank *rank; /* by number, each once; ranks without a file are left out */
	size_t n_rank;
	size_t expected;      /* of MPI_COMM_WORLD */
	const unsigned *host; /* of each, rows of the run's hosts; borrowed */
};

#endif
