/*
 * Decodes a record from JSON. Every field is checked for type, range and consistency with the
 * others, since the file is untrusted.
 */
#ifndef SD_DECODE_H
#define SD_DECODE_H

#include <jansson.h>

#include "fields/fields.h"
#include "read/run_texts.h"
#include "record/record.h"

/* Fills *out (zeroed) from the root object, and from the texts of its runs where they were found.
 * 0; -EINVAL with a message; -ENOMEM without. *out must be freed in every case. */
int sd_decode(const struct sd_source *s, const json_t *root, const struct sd_run_texts *runs,
	struct sd_record *out);

/* The table of stacks, whose nodes and texts what follows may name (decode_stacks.c). */
int sd_decode_stacks(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_stacks *out);

/* The machine as reports draw it (decode_layout.c). */
int sd_decode_layout(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_machine_layout *out);

#endif
