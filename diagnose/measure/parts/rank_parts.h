/*
 * One run of all that the rank agents of a launcher measured (rank_part.h).
 */
#ifndef SD_RANK_PARTS_H
#define SD_RANK_PARTS_H

#include "base/sink.h"
#include "record/run.h"
#include "record/stacks.h"

/*
 * Adds the parts in `folder` to the run of their launcher. CPU times, switches,
 * faults, idle cores and samples are sums, of the launcher's tree and the parts; the largest
 * resident set is the largest; what one part lacks the sum lacks; what only one node can say (time,
 * pressure, others' CPU time) stays that of the launcher's node. The hosts of run->mpi keep the
 * sums of their own parts. Places are added to `stacks`. A part that cannot be read is lost, with a
 * message, and no other. Without parts nothing changes. 0 or -ENOMEM.
 */
int sd_rank_parts_merge(const char *folder, struct sd_run *run, struct sd_stacks *stacks,
	const struct sd_sink *sink);

/* A rank that a signal ended. */
struct sd_rank_death {
	int signal;
	double end; /* s since the epoch, by its node's clock */
	char node[64];
};

/* The first of them, by the parts in `folder`, which stay there. A launcher that ends a job because
 * of one rank ends the others by a signal too, later. 0: none. */
int sd_rank_parts_first_death(const char *folder, struct sd_rank_death *first);

/* Deletes what ranks and their agents have written there. */
void sd_rank_parts_remove(const char *folder);

#endif
