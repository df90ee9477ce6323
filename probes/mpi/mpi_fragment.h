/*
 * Reads the log of one MPI rank (trace/mpi_log.h). The rank may have died while it wrote, and the
 * file may be anything.
 */
#ifndef SD_MPI_FRAGMENT_H
#define SD_MPI_FRAGMENT_H

#include "trace/mpi_ranks.h"

/*
 * Checks `size` bytes, which stay the caller's and begin on 8 bytes; what is out of bounds in an
 * event is made harmless in place: an unknown site, communicator or peer, a time that does not go
 * back. Fills *out but `site`. 0; -ENODATA: a rank that never came out of MPI_Init(); -EBADMSG: no
 * log of ours.
 */
int sd_mpi_fragment_check(void *bytes, size_t size, struct sd_mpi_rank *out);

/* The mapped files of a run. */
struct sd_mpi_fragments {
	struct sd_mpi_rank *rank; /* owned; by number, each once */
	void **map;               /* owned; of each file */
	size_t *length;           /* owned; of each file */
	size_t n_rank, mapped, room;
	size_t unreadable; /* files that are no log, or of a rank that never came out of MPI_Init()
			    */
};

/* Maps and checks all files of `folder` that end in ".mpi". 0; -errno: the folder cannot be read,
 * or no memory. */
int sd_mpi_fragments_open(struct sd_mpi_fragments *f, const char *folder);
void sd_mpi_fragments_close(struct sd_mpi_fragments *f); /* accepts the zeroed value */

/* Deletes the files that ranks wrote in `folder`: what begins as they do. */
void sd_mpi_fragments_remove(const char *folder);

#endif
