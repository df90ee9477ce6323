/*
 * The function, line and inlined functions at an address of a file.
 */
#ifndef SD_CODE_PLACES_H
#define SD_CODE_PLACES_H

#include "symbols/modules.h"
#include "symbols/symbols.h"

#define SD_SOURCE_PLACES_MAX \
	64 /* nested inlined functions; excess ones are left out, but never the outermost */

struct sd_placelist {
	size_t n;
	struct sd_placement_of place[];
};

/* At least one place, innermost first, owned by the modules' pool; NULL: out of memory. The
 * module's functions must have been read. */
const struct sd_placelist *sd_source_places_of(
	const struct sd_modules *all, struct sd_module *m, uint64_t vaddr);

#endif
