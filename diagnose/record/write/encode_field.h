/*
 * Parts that all of a record's JSON is made of. Every function returns a new reference, or NULL:
 * out of memory or not a JSON number.
 */
#ifndef SD_ENCODE_FIELD_H
#define SD_ENCODE_FIELD_H

#include <jansson.h>

#include "base/texts.h"
#include "fields/fields.h"

/* jansson refuses a string that is not UTF-8: those go as hexadecimal, and nothing is lost. */
json_t *sd_encode_text(const char *text);
json_t *sd_encode_texts(const struct sd_texts *t);

/* The struct `in` by the table of its fields; values that are absent are left out. */
json_t *sd_encode_struct(const struct sd_fields *fields, const void *in);
/* The same into an object that is there. 0 or -1. */
int sd_encode_fields(json_t *object, const struct sd_fields *fields, const void *in);

/* Takes `value` also on failure; a NULL one is a failure. 0 or -1. */
int sd_encode_set(json_t *object, const char *key, json_t *value);

#endif
