/*
 * The parts of a record that samples fill: written as they are, without a tree of JSON values in
 * between, since they are the most of it and the record is written after each run.
 */
#ifndef SD_ENCODE_SAMPLES_H
#define SD_ENCODE_SAMPLES_H

#include <jansson.h>
#include <stdio.h>

#include "fields/fields.h"

/* A string, or {"hex": …} when it is not UTF-8; a struct by its fields. New references, or NULL. */

/*
 * The table of stacks as an object: "texts", and "frames" and "nodes" as flat lists of numbers,
 * SD_STACKS_FRAME_NUMBERS and SD_STACKS_NODE_NUMBERS each; of the root nothing is written.
 * 0, -ENOMEM, -EIO, -EINVAL as sd_encode().
 */
#define SD_STACKS_FRAME_NUMBERS 6u /* function, file, module, line, flags, offset */
#define SD_STACKS_NODE_NUMBERS 2u  /* parent, frame */
int sd_encode_stacks(FILE *f, const struct sd_stacks *stacks);

/* What samples said of a run as an object. */
int sd_encode_sampled(FILE *f, const struct sd_sampled *sampled);

#endif
