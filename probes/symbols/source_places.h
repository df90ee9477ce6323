/*
 * What stands at an address of a file: function, line, and what is inlined there.
 */
#ifndef SD_CODE_PLACES_H
#define SD_CODE_PLACES_H

#include "symbols/modules.h"
#include "symbols/symbols.h"

#define SD_SOURCE_PLACES_MAX \
	64 /* inlined into each other; more are left out, the outermost is not */

struct sd_placelist {
	size_t n;
	struct sd_placement_of place[];
};

/* In the modules' pool, innermost first, at least one; NULL: no memory. The module's functions have
 * been read. */
const struct sd_placelist *sd_source_places_of(
	const struct sd_modules *all, struct sd_module *m, uint64_t vaddr);

#endif
