/*
 * How the language of a contested line's code gives each thread a line of its own.
 */
#ifndef SD_LINE_IDIOM_H
#define SD_LINE_IDIOM_H

#include "record/simulated.h"
#include "record/stacks.h"

/* Writes "alignas(64), or padding of 56 bytes after each", "#[repr(align(64))]" into `out`: parts
 * of `bytes` bytes, 0 unknown, are to lie `apart` bytes apart. The language is that of the line's
 * variables, else of the file that most of its accesses are in, else C. Returns `out`. */
const char *sd_line_idiom_text(const struct sd_stacks *s, const struct sd_sim_contested *l,
	unsigned bytes, unsigned apart, char *out, size_t size);

/* Does code in that language take memory from aligned_alloc()? */
int sd_line_idiom_allocates(const struct sd_stacks *s, const struct sd_sim_contested *l);

#endif
