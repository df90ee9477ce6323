/*
 * Structs and lists of them, as their tables say. Returns as in encode_field.h.
 */
#ifndef SD_ENCODE_STRUCT_H
#define SD_ENCODE_STRUCT_H

#include <stdio.h>

#include "fields/fields.h"

/* An object, or what else an element of a list of these is. */
int sd_encode_struct(FILE *f, const struct sd_fields *fields, const void *in);

/* n elements of `size` bytes in brackets, with `between` between them. */
int sd_encode_struct_list(FILE *f, const struct sd_fields *fields, const void *first, size_t n,
	size_t size, const char *between);

#endif
