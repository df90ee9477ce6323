/*
 * The functions of a compile unit and the functions inlined into them, as address ranges.
 */
#ifndef SD_DWARF_INLINES_H
#define SD_DWARF_INLINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct sd_range {
	uint64_t low, high;
	uint64_t reach; /* the highest `high` up to this range */
	unsigned scope;
};

#define SD_SCOPE_NONE UINT32_MAX

struct sd_scope {
	Dwarf_Off die;
	unsigned parent;  /* the scope it is inlined into; SD_SCOPE_NONE: not inlined */
	const char *name; /* borrowed; NULL: nobody has asked yet */
};

struct sd_dwarf_inlines {
	struct sd_scope *scope; /* parents precede their children */
	size_t n;
	struct sd_range *range;
	size_t n_range;
};

/* The first appends a range (0 or -ENOMEM; empty ranges are dropped), the second sorts the list. */
int sd_dwarf_inlines_range_add(struct sd_range **list, size_t *n, const struct sd_range *one);
void sd_dwarf_inlines_range_sort(struct sd_range *list, size_t n);

/* The scope of the innermost range containing the address, or SD_SCOPE_NONE. */
unsigned sd_dwarf_inlines_range_at(const struct sd_range *list, size_t n, uint64_t address);

/* Reads all of the unit `die`, whose entries take `length` bytes. 0 or -ENOMEM. */
int sd_dwarf_inlines_read(struct sd_dwarf_inlines *out, Dwarf_Die *die, uint64_t length);

void sd_dwarf_inlines_free(struct sd_dwarf_inlines *i); /* accepts the zeroed value, leaves it */

#endif
