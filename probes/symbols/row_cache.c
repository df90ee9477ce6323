#include "symbols/row_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

static int push_row(struct sd_row_cache *c, const struct sd_row *row)
{
	return SD_APPEND(c->row, c->n, row);
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

static size_t code_at(void *ctx, uint64_t vaddr, unsigned char *out, size_t max)
{
	const struct sd_module *const m = ctx;

	return sd_elf_file_bytes(&m->file, vaddr, out, max);
}

static int make_row(const struct sd_modules *all, struct sd_module *m, uint64_t vaddr, int returns,
	struct sd_row *out)
{
	struct sd_code_rows_from from = {.code = code_at, .ctx = m};
	const struct sd_function *f;

	memset(out, 0, sizeof *out); /* rows are compared by their bytes */
	if (sd_unwind_rows_row(&m->cfi, vaddr, out) == 0)
		return 0;
	sd_module_functions(all, m);
	f = sd_elf_symbols_at(&m->functions, vaddr);
	from.end = f ? f->end : 0;
	return sd_code_rows_row(m->cfi.arch, &from, vaddr + (uint64_t)returns, out);
}

/* Stores what was made of an address; `rc`: of making it. */
static const struct sd_row *keep_at(
	struct sd_row_cache *c, uint64_t of, uint64_t at, int rc, const struct sd_row *fresh)
{
	const size_t n = rc == 0 ? keep_row(c, fresh) : 0;
	uint64_t *const slot = sd_key_table_add(&c->at, of, at);

	if (slot)
		*slot = n;
	return n ? &c->row[n] : NULL;
}

const struct sd_row *sd_row_cache_at(struct sd_row_cache *c, const struct sd_modules *all,
	size_t module, uint64_t vaddr, int returns)
{
	const uint64_t *const known = sd_key_table_find(&c->at, (uint64_t)module + 1, vaddr);
	struct sd_row fresh;

	if (known)
		return *known ? &c->row[*known] : NULL;
	return keep_at(c, (uint64_t)module + 1, vaddr,
		make_row(all, all->item[module], vaddr, returns, &fresh), &fresh);
}

const struct sd_row *sd_row_cache_jit(struct sd_row_cache *c, uint64_t process,
	const struct sd_code_rows_from *from, uint64_t at, int returns)
{
	const uint64_t of = process | UINT64_C(1) << 63;
	const uint64_t *const known = sd_key_table_find(&c->at, of, at);
	struct sd_row fresh;

	if (known)
		return *known ? &c->row[*known] : NULL;
	return keep_at(c, of, at,
		sd_code_rows_row(sd_frame_arch_host(), from, at + (uint64_t)returns, &fresh),
		&fresh);
}

void sd_row_cache_free(struct sd_row_cache *c)
{
	sd_key_table_free(&c->at);
	free(c->row);
	*c = (struct sd_row_cache){0};
}
