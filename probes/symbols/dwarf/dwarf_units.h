/*
 * Looks up DWARF by address: compile unit, line, and inlined functions. A unit's entries beyond the
 * first are read only when an address falls into it.
 */
#ifndef SD_DWARF_UNITS_H
#define SD_DWARF_UNITS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/key_table.h"
#include "dwarf/dwarf_inlines.h"

struct sd_unit {
	Dwarf_Die die;
	uint64_t length; /* of its entries, bytes */
	int read;
	unsigned searches; /* for what its functions stand in */
	struct sd_dwarf_inlines inlines;
};

struct sd_dwarf_units {
	Dwarf *dwarf; /* borrowed */
	struct sd_unit *unit;
	size_t n;
	struct sd_range *range; /* .scope: index of the unit */
	size_t n_range;
	struct sd_key_table variables; /* (1, address) -> offset of its entry (dwarf_variables.h) */
	int listed;                    /* they are */
};

/* 0 or -ENOMEM. Unreadable parts are left out. */
int sd_dwarf_units_read(struct sd_dwarf_units *u, Dwarf *dwarf);

/* The unit whose code contains vaddr; NULL: none. */
struct sd_unit *sd_dwarf_units_at(struct sd_dwarf_units *u, uint64_t vaddr);

/* Is the line program of this unit, which libdw reads as a whole, within bounds? Who made the file
 * chose how long it is. */
int sd_dwarf_units_lines_fit(Dwarf_Die *unit);

/* *line 0 and *file NULL: unknown. *file is borrowed from the DWARF; if relative, it is relative to
 * sd_unit_folder(). */
void sd_unit_line(struct sd_unit *unit, uint64_t vaddr, const char **file, unsigned *line);

/* File number `n` of the unit's table, likewise. */
const char *sd_unit_file(struct sd_unit *unit, uint64_t n);

/* The compilation directory; NULL: unknown. Borrowed from the DWARF. */
const char *sd_unit_folder(struct sd_unit *unit);

/* The unit's functions, read at the first call; .n is 0 if there are none. */
const struct sd_dwarf_inlines *sd_unit_inlines(struct sd_unit *unit);

void sd_dwarf_units_free(struct sd_dwarf_units *u); /* accepts the zeroed value, leaves it */

#endif
