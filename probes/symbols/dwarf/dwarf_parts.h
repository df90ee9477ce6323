/*
 * Names parts of types by DWARF.
 */
#ifndef SD_DWARF_PARTS_H
#define SD_DWARF_PARTS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#define SD_DWARF_PARTS_DIMENSIONS 8

/* The type of an entry, without names and qualifiers, and the first of these names, NULL: none.
 * 0: it has no type. */
int sd_dwarf_parts_type(Dwarf_Die *of, Dwarf_Die *out, const char **name);

/* How many dimensions an array has, the outermost first; 0: not known. */
unsigned sd_dwarf_parts_dimensions(Dwarf_Die *array, uint64_t count[SD_DWARF_PARTS_DIMENSIONS]);

/* The byte of its structure at which a member or a base begins, and how many it has; of a bit field
 * those that its bits lie in. */
uint64_t sd_dwarf_parts_start(Dwarf_Die *member, uint64_t *bytes);

/* "struct", "class", "union"; NULL: it is none. */
const char *sd_dwarf_parts_keyword(int tag);

/* The pointer or reference that a variable is, or that a slice of Go begins with: what it points to
 * is the type of *pointer. 0: it is none. */
int sd_dwarf_parts_pointee(Dwarf_Die *of, Dwarf_Die *pointer);

/* Bytes of what a variable or member is; 0 unknown. */
uint64_t sd_dwarf_parts_size(Dwarf_Die *of);

/* Appends what lies `offset` bytes into it: "[3].hits"; nothing where its type does not say. Names
 * that languages reserve for their libraries ("_M_value", "__data") are left out, and what is in
 * them. Nothing is told of languages whose arrays do not begin at 0. */
void sd_dwarf_parts_put(Dwarf_Die *of, uint64_t offset, char *out, size_t size);

/* Writes what lies `offset` bytes behind where a variable points, by the structure that it points
 * to: "struct part.hits", where no member is there "struct part+24"; 0: it points to none. */
int sd_dwarf_parts_pointed(Dwarf_Die *of, uint64_t offset, char *out, size_t size);

#endif
