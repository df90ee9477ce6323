/*
 * How a variable, or what a pointer leads to, is laid out in memory, by DWARF.
 */
#ifndef SD_DWARF_OBJECT_H
#define SD_DWARF_OBJECT_H

#include "dwarf/dwarf_units.h"
#include "record/line_object.h"

/*
 * Lays out the variable whose entry is at `entry`, or, `pointed`, what it points to. Of a type of
 * many members those that have a byte within 64 bytes of `near`, an offset in it, are told. 0;
 * -ENOENT: its type does not say.
 */
int sd_dwarf_object(struct sd_dwarf_units *u, uint64_t entry, int pointed, uint64_t near,
	struct sd_object_layout *out);

#endif
