/*
 * Text of a record as JSON values, and what is said when it is none.
 */
#ifndef SD_JSON_LOAD_H
#define SD_JSON_LOAD_H

#include <jansson.h>

#include "fields/json_path.h"

/* The value that these bytes are, a new reference; they begin `line` lines into the file of `s`. 0;
 * -EINVAL with a message; -ENOMEM without. */
int sd_json_load(
	const struct sd_source *s, const char *text, size_t size, size_t line, json_t **out);

#endif
