/*
 * An MPI run at the largest point for readers: what its ranks lost and to whom, by node, never a
 * row for each of many ranks.
 */
#ifndef SD_RANK_LOSSES_H
#define SD_RANK_LOSSES_H

#include <stddef.h>

#include "base/status.h"
#include "base/texts.h"

#define SD_RANK_LOSSES_ROWS 16u /* ranks shown one by one; of more, those that differ most */
#define SD_RANK_LOSSES_WAITS 8u

struct sd_rank_row {
	unsigned rank, node;           /* node: row of the nodes */
	double useful, mpi, io, delay; /* s */
	int lost;                      /* its log does not end */
};

struct sd_rank_node {
	char name[64];
	unsigned ranks, lost, busiest; /* busiest: the rank with most useful time */
	double least, mean, most;      /* useful time over the elapsed one, of its ranks */
	size_t first;                  /* of its ranks' shares */
	unsigned agents;               /* rank agents that measured there; 0: the next are absent */
	struct sd_value cpu, max_rss;  /* CPU-s of its ranks' processes; bytes of the largest */
};

struct sd_rank_losses {
	int known;   /* ranks were logged */
	int divided; /* the ratios below are known, except load_balance, which always is */
	char library[32], why[160];
	unsigned ranks, expected;
	double elapsed, startup;                      /* s */
	double load_balance, serialisation, transfer; /* of 1 */
	struct sd_rank_node *node;                    /* owned */
	size_t n_node;
	float *share; /* owned; n_share: useful share of each rank, by node */
	size_t n_share;
	struct sd_rank_row row[SD_RANK_LOSSES_ROWS];
	size_t n_row;
	struct sd_texts waits; /* "ranks 1-7 wait 1.2 s for rank 0 in MPI_Allreduce() at ..." */
	struct sd_texts calls; /* "MPI_Send() at exchange() a.c:12: 80 calls, 1.2 s of all ranks" */
};

void sd_rank_losses_free(struct sd_rank_losses *l); /* accepts the zeroed value */

#endif
