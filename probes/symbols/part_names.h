/*
 * The parts of variables that a cache line holds, in words: "sums[0], sums[1], done", and of more
 * than two of one variable the first and the last: "sums[0] to sums[7]".
 */
#ifndef SD_PART_NAMES_H
#define SD_PART_NAMES_H

#include "symbols/symbols.h"

/* A zeroed one is empty. */
struct sd_part_names {
	char text[512];
	struct sd_symbols_part last; /* the variable's that came last */
	unsigned n;                  /* of that variable's parts */
};

/* Adds a part, by ascending addresses. One that comes again, and further ones of a variable whose
 * type tells none, are left out; so is what finds no room. `variable` 0: the name tells alone what
 * it is. */
void sd_part_names_add(struct sd_part_names *p, const struct sd_symbols_part *part);

/* Borrowed from *p; "" where there are none. */
const char *sd_part_names_text(struct sd_part_names *p);

#endif
