/*
 * DWARF by address: the compile unit, the line, and the functions inlined there. Of a unit that no
 * address falls into only the first entry is read.
 */
#ifndef SD_DWARF_UNITS_H
#define SD_DWARF_UNITS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/dwarf_inlines.h"

struct sd_unit {
	Dwarf_Die die;
	uint64_t length; /* of its entries, bytes */
	int read;
	struct sd_dwarf_inlines inlines;
};

struct sd_dwarf_units {
	Dwarf *dwarf; /* borrowed */
	struct sd_unit *unit;
	size_t n;
	struct sd_range *range; /* .scope: number of the unit */
	size_t n_range;
};

/* 0 or -ENOMEM. What cannot be read is not there. */
int sd_dwarf_units_read(struct sd_dwarf_units *u, Dwarf *dwarf);

/* The unit whose code holds vaddr; NULL: none. */
struct sd_unit *sd_dwarf_units_at(struct sd_dwarf_units *u, uint64_t vaddr);

/* *line 0 and *file NULL: unknown. *file is borrowed from the DWARF; a relative one is below
 * sd_unit_folder(). */
void sd_unit_line(struct sd_unit *unit, uint64_t vaddr, const char **file, unsigned *line);

/* The same for file number `n` of the unit's table. */
const char *sd_unit_file(struct sd_unit *unit, uint64_t n);

/* Where the compiler ran; NULL: unknown. Borrowed from the DWARF. */
const char *sd_unit_folder(struct sd_unit *unit);

/* The functions that hold vaddr, read at the first call; .n is 0 when there are none. */
const struct sd_dwarf_inlines *sd_unit_inlines(struct sd_unit *unit);

void sd_dwarf_units_free(struct sd_dwarf_units *u); /* accepts the zeroed value, leaves it */

#endif
