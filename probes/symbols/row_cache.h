/*
 * Unwind rows by code address: each is interpreted once (unwind_rows.h).
 */
#ifndef SD_ROW_CACHE_H
#define SD_ROW_CACHE_H

#include "base/key_table.h"
#include "unwind/unwind_rows.h"

/* Initially zero. */
struct sd_row_cache {
	struct sd_key_table at; /* (module + 1, address) -> row */
	struct sd_row *row;     /* owned; each different row once; [0]: there is none */
	size_t n, size;
};

/* The row at an address of the module's file; NULL: there is none, or no memory. Valid until the
 * next call. */
const struct sd_row *sd_row_cache_at(
	struct sd_row_cache *c, size_t module, struct sd_unwind_rows *cfi, uint64_t vaddr);

void sd_row_cache_free(struct sd_row_cache *c);

#endif
