#include "dwarf/dwarf_inlines.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/one_more.h"

enum { DEPTH_MAX = 128, RANGES_MAX = 1 << 16 };

int sd_dwarf_inlines_range_add(struct sd_range **list, size_t *n, const struct sd_range *one)
{
	if (one->high <= one->low)
		return 0;
	return SD_APPEND(*list, *n, one);
}

/* Outer ranges before the inner ones that begin with them; scopes are numbered outer first. */
static int compare(const void *pa, const void *pb)
{
	const struct sd_range *const a = pa, *const b = pb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

void sd_dwarf_inlines_range_sort(struct sd_range *list, size_t n)
{
	uint64_t reach = 0;

	if (n)
		qsort(list, n, sizeof *list, compare);
	for (size_t i = 0; i < n; i++) {
		if (list[i].high > reach)
			reach = list[i].high;
		list[i].reach = reach;
	}
}

unsigned sd_dwarf_inlines_range_at(const struct sd_range *list, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (list[mid].low <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t steps = 0; low-- > 0 && list[low].reach > address && steps < 65536; steps++)
		if (list[low].high > address)
			return list[low].scope;
	return SD_SCOPE_NONE;
}

struct walk {
	struct sd_dwarf_inlines *out;
	uint64_t left; /* entries that the unit can still hold */
};

static int add_scope(struct walk *w, Dwarf_Die *die, unsigned parent, unsigned *number)
{
	struct sd_dwarf_inlines *const o = w->out;

	*number = (unsigned)o->n;
	return SD_APPEND(
		o->scope, o->n, &(struct sd_scope){.die = dwarf_dieoffset(die), .parent = parent});
}

/* A function, inlined or not, with code: its scope, or SD_SCOPE_NONE when it has none. */
static int add_function(struct walk *w, Dwarf_Die *die, unsigned parent, unsigned *scope)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int rc = 0;

	*scope = SD_SCOPE_NONE;
	for (int i = 0; rc == 0 && i < RANGES_MAX; i++) {
		at = dwarf_ranges(die, at, &base, &start, &end);
		if (at <= 0)
			break;
		if (*scope == SD_SCOPE_NONE)
			rc = add_scope(w, die, parent, scope);
		if (rc == 0)
			rc = sd_dwarf_inlines_range_add(&w->out->range, &w->out->n_range,
				&(struct sd_range){.low = start, .high = end, .scope = *scope});
	}
	return rc;
}

static int walk_children(struct walk *w, Dwarf_Die *parent_die, unsigned scope, int depth);

static int walk_one(struct walk *w, Dwarf_Die *die, unsigned scope, int depth)
{
	unsigned inner = SD_SCOPE_NONE;
	int rc;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		rc = add_function(w, die, SD_SCOPE_NONE, &inner);
		break;
	case DW_TAG_inlined_subroutine:
		rc = add_function(w, die, scope, &inner);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return walk_children(w, die, scope, depth + 1);
	default:
		return 0;
	}
	if (rc != 0 || inner == SD_SCOPE_NONE)
		return rc;
	return walk_children(w, die, inner, depth + 1);
}

static int walk_children(struct walk *w, Dwarf_Die *parent_die, unsigned scope, int depth)
{
	Dwarf_Die die;
	int rc = 0;

	if (depth > DEPTH_MAX || dwarf_child(parent_die, &die) != 0)
		return 0;
	/* a sibling may point backwards: no unit has more entries than bytes */
	do {
		if (!w->left)
			break;
		w->left--;
		rc = walk_one(w, &die, scope, depth);
	} while (rc == 0 && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

int sd_dwarf_inlines_read(struct sd_dwarf_inlines *out, Dwarf_Die *die, uint64_t length)
{
	struct walk w = {.out = out, .left = length};
	const int rc = walk_children(&w, die, SD_SCOPE_NONE, 0);

	sd_dwarf_inlines_range_sort(out->range, out->n_range);
	return rc;
}

void sd_dwarf_inlines_free(struct sd_dwarf_inlines *i)
{
	free(i->scope);
	free(i->range);
	*i = (struct sd_dwarf_inlines){0};
}
