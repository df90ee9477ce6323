/*
 * Memory that lives as long as the symbols: unique texts, and lists.
 */
#ifndef SD_STRING_POOL_H
#define SD_STRING_POOL_H

#include <stddef.h>

#include "base/key_table.h"

/* A zeroed one is empty. */
struct sd_string_pool {
	struct sd_poolchunk *chunk;
	size_t used, size; /* of the newest chunk */
	struct sd_key_table texts;
};

/* Zeroed, aligned for any type; NULL: out of memory. */
void *sd_string_pool_get(struct sd_string_pool *p, size_t size);

/* The unique copy of a text of `length` bytes, NUL-terminated; NULL: out of memory. */
const char *sd_string_pool_text(struct sd_string_pool *p, const char *text, size_t length);

void sd_string_pool_free(struct sd_string_pool *p);

#endif
