/*
 * Unwind rows by code address: each is interpreted once, from the tables (unwind_rows.h) or, where
 * there are none, from the code (code_rows.h).
 */
#ifndef SD_ROW_CACHE_H
#define SD_ROW_CACHE_H

#include "base/key_table.h"
#include "symbols/modules.h"
#include "unwind/code_rows.h"

/* Initially zero. */
struct sd_row_cache {
	struct sd_key_table at; /* (module + 1, address) -> row */
	struct sd_row *row;     /* owned; each different row once; [0]: there is none */
	size_t n;
};

/*
 * The row at an address of the opened module of that number; `returns`: a call that ends behind it
 * is still under way. NULL: there is none, or no memory. Valid until the next call.
 */
const struct sd_row *sd_row_cache_at(struct sd_row_cache *c, const struct sd_modules *all,
	size_t module, uint64_t vaddr, int returns);

/* The same of code that is in no file, of a process (below 2^63) that has no other at that address.
 */
const struct sd_row *sd_row_cache_jit(struct sd_row_cache *c, uint64_t process,
	const struct sd_code_rows_from *from, uint64_t at, int returns);

void sd_row_cache_free(struct sd_row_cache *c);

#endif
