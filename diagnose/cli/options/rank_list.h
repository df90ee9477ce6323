/*
 * --ranks and --points: how many MPI ranks to run at, with how many threads, on how many nodes.
 */
#ifndef SD_RANK_LIST_H
#define SD_RANK_LIST_H

#include "base/sink.h"
#include "record/options.h"

/*
 * Fills the options' counts and shapes, by rising cores. --ranks: a list as of --cores, one thread
 * each on this node. --points: RANKSxTHREADS or RANKSxTHREADS@NODES, separated by commas. 0;
 * -EINVAL after a message; -ENOMEM. The options are unchanged on failure.
 */
int sd_rank_list_parse_ranks(const char *text, struct sd_options *o, const struct sd_sink *sink);
int sd_rank_list_parse_points(const char *text, struct sd_options *o, const struct sd_sink *sink);

#endif
