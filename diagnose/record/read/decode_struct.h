/*
 * Structs and lists of them from JSON, as their tables say. Returns as in decode_field.h.
 */
#ifndef SD_DECODE_STRUCT_H
#define SD_DECODE_STRUCT_H

#include <jansson.h>

#include "fields/fields.h"

/* The members of `object` that `fields` names, in their order, and besides only the keys in
 * `others` (NULL-terminated, or NULL for none; all of them needed unless their name begins with
 * '?'). */
int sd_decode_fields(struct sd_field_in *c, const struct sd_json_path *at, const json_t *object,
	const struct sd_fields *fields, const char *const *others, void *out);

/* An element of a list, or a struct by itself; `before`, of the same list, or NULL. */
int sd_decode_struct(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_fields *fields, const void *before, void *out);

/* An array of at most f->most elements, owned by the struct `out`. */
int sd_decode_struct_list(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	const struct sd_field *f, void *out);

#endif
