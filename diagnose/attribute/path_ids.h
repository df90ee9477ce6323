/*
 * Call paths as numbers: the same for the same path. What a runtime of parallel regions calls is
 * one path, whichever thread runs it.
 */
#ifndef SD_PATH_IDS_H
#define SD_PATH_IDS_H

#include <stdint.h>

#include "record/stacks.h"

/* Of what is called on the path `up`; a and b say what. */
uint64_t sd_path_ids_step(uint64_t up, uint64_t a, uint64_t b);

/* By node; *path is owned by the caller. `stacks` NULL: none. 0 or -ENOMEM. */
int sd_path_ids(const struct sd_stacks *stacks, uint64_t **path);

#endif
