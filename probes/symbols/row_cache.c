#include "symbols/row_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int push_row(struct sd_row_cache *c, const struct sd_row *row)
{
	if (c->n == c->size) {
		struct sd_row *const more = realloc(c->row, (c->size * 2 + 256) * sizeof *more);

		if (!more)
			return -ENOMEM;
		c->row = more;
		c->size = c->size * 2 + 256;
	}
	c->row[c->n++] = *row;
	return 0;
}

/* Code has few different rows: the same one again is found by its bytes. */
static size_t keep_row(struct sd_row_cache *c, const struct sd_row *row)
{
	uint64_t h = 14695981039346656037u, *slot; /* FNV-1a */

	for (size_t i = 0; i < sizeof *row; i++)
		h = (h ^ ((const unsigned char *)row)[i]) * 1099511628211u;
	for (;; h++) {
		slot = sd_key_table_add(&c->at, UINT64_MAX, h);
		if (!slot)
			return 0;
		if (!*slot)
			break;
		if (memcmp(&c->row[*slot], row, sizeof *row) == 0)
			return *slot;
	}
	if (!c->n && push_row(c, &(struct sd_row){0}) != 0)
		return 0;
	if (push_row(c, row) != 0)
		return 0;
	*slot = c->n - 1;
	return c->n - 1;
}

const struct sd_row *sd_row_cache_at(
	struct sd_row_cache *c, size_t module, struct sd_unwind_rows *cfi, uint64_t vaddr)
{
	const uint64_t *const known = sd_key_table_find(&c->at, (uint64_t)module + 1, vaddr);
	size_t n = known ? *known : 0;

	if (!known) {
		struct sd_row fresh;
		uint64_t *slot;

		memset(&fresh, 0, sizeof fresh); /* rows are compared by their bytes */
		n = sd_unwind_rows_row(cfi, vaddr, &fresh) == 0 ? keep_row(c, &fresh) : 0;
		slot = sd_key_table_add(&c->at, (uint64_t)module + 1, vaddr);
		if (slot)
			*slot = n;
	}
	return n ? &c->row[n] : NULL;
}

void sd_row_cache_free(struct sd_row_cache *c)
{
	sd_key_table_free(&c->at);
	free(c->row);
	*c = (struct sd_row_cache){0};
}
