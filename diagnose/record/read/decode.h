/*
 * A record from JSON: every field checked for type, range and agreement with the others. The file
 * may come from anywhere.
 */
#ifndef SD_DECODE_H
#define SD_DECODE_H

#include <jansson.h>

#include "fields/fields.h"
#include "record/record.h"

/* Fills *out (zeroed) from the root object. 0; -EINVAL, said; -ENOMEM, not said. *out is to be
 * freed in every case. */
int sd_decode(const struct sd_source *s, const json_t *root, struct sd_record *out);

/* The table of stacks, whose nodes and texts what follows may name (decode_stacks.c). */
int sd_decode_stacks(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_stacks *out);

/* What a report draws of the machine (decode_layout.c). */
int sd_decode_layout(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out);

#endif
