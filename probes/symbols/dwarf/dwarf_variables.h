/*
 * Names parts of variables by DWARF: of a global one by its address, of a local one by its place in
 * the frame of its function.
 */
#ifndef SD_DWARF_VARIABLES_H
#define SD_DWARF_VARIABLES_H

#include "dwarf/dwarf_units.h"

/* Appends what lies `offset` bytes into the variable that begins at vaddr: "[3].hits", ".next";
 * nothing where its type does not say. Returns the entry of the variable, 0: there is none. All
 * variables are listed at the first call, of a program's first millions of entries. */
uint64_t sd_dwarf_variables_part(
	struct sd_dwarf_units *u, uint64_t vaddr, uint64_t offset, char *out, size_t size);

/* A place in a frame: addresses of it, and of the frame's two ends. `cfa`, the canonical one, is
 * that behind the frame: the caller's stack pointer. */
struct sd_dwarf_local {
	uint64_t address, sp, cfa;
};

/* The entry of a variable in DWARF, and how far into it, or into what it points to, a byte lies. */
struct sd_dwarf_found {
	uint64_t entry, into;
};

/* Writes the variable of the code at vaddr that lies there, with its part: "words[1]". Returns how
 * many functions further out than the innermost inlined one it is in, or -ENOENT: none is known,
 * and *out is "". */
int sd_dwarf_variables_local(struct sd_dwarf_units *u, uint64_t vaddr,
	const struct sd_dwarf_local *at, char *out, size_t size, struct sd_dwarf_found *found);

/* Writes what lies `offset` bytes behind where a register points at vaddr, by the type of the
 * variable that it is there: "struct part.hits". `reg`: by DWARF's number. `indexed`: an index is
 * added, too, which leads to another element of a slice; of pointers nothing is told then. 0, or
 * -ENOENT: not known. */
int sd_dwarf_variables_pointed(struct sd_dwarf_units *u, uint64_t vaddr, unsigned reg, int indexed,
	uint64_t offset, char *out, size_t size, struct sd_dwarf_found *found);

#endif
