/*
 * Parts that all of a record's JSON is made of: written as they are, without a tree of JSON values
 * in between, since a run is written as soon as it has ended. Every function returns 0; -ENOMEM;
 * -EIO when `f` took an error; -EINVAL for what is no JSON number, or no name of its enum.
 */
#ifndef SD_ENCODE_FIELD_H
#define SD_ENCODE_FIELD_H

#include <stdio.h>

#include "base/texts.h"
#include "fields/fields.h"

/* jansson refuses strings that are not UTF-8: they are encoded in hexadecimal. */
int sd_encode_field_text(FILE *f, const char *text);
int sd_encode_field_texts(FILE *f, const struct sd_texts *t);

/* A member that is a number, a name or a text; a number has the fewest digits that read back to it.
 */
int sd_encode_field_scalar(FILE *f, const struct sd_field *field, const void *in);

#endif
