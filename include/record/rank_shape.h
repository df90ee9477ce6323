/*
 * How an MPI program is started at a point: --ranks and --points.
 */
#ifndef SD_RANK_SHAPE_H
#define SD_RANK_SHAPE_H

struct sd_rank_shape {
	unsigned ranks, threads, nodes; /* ranks in all, threads of each; ranks 0: not by ranks */
};

#endif
