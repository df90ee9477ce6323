/*
 * Ids of call paths, equal for equal paths. Code called by a runtime of parallel regions has one
 * path, whichever thread runs it.
 */
#ifndef SD_PATH_IDS_H
#define SD_PATH_IDS_H

#include <stdint.h>

#include "record/stacks.h"

/* The id of the callee (a, b) on path `up`. */
uint64_t sd_path_ids_step(uint64_t up, uint64_t a, uint64_t b);

/* The ids of all nodes; *path is owned by the caller. `stacks` NULL: none. 0 or -ENOMEM. */
int sd_path_ids(const struct sd_stacks *stacks, uint64_t **path);

#endif
