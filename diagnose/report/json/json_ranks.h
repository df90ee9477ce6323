/*
 * The ranks of an MPI program in the JSON report.
 */
#ifndef SD_JSON_RANKS_H
#define SD_JSON_RANKS_H

#include <jansson.h>

#include "analysis/rank_losses.h"

/* A new reference; NULL: out of memory. */
json_t *sd_json_ranks(const struct sd_rank_losses *l);

#endif
