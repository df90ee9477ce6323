/*
 * A code location for readers, from a node of the record's stacks. Unsanitized: whoever prints it
 * must sanitize it.
 */
#ifndef SD_CODE_PLACE_H
#define SD_CODE_PLACE_H

#include <stddef.h>

#include "record/stacks.h"

/*
 * The file and line at which a parallel region begins that a compiler made a function of, as the
 * symbols add it to the function's name: "heat.f90:12" of "relax_._omp_fn.0 [heat.f90:12]". Points
 * into `function`, *length bytes; NULL: none, or it does not say.
 */
const char *sd_code_place_region(const char *function, size_t *length);

/* Writes a place's position in that region: ", line 14"; ", flux.f90:26" of another file (its name
 * alone, without folders); "" where it begins, and for line 0. */
void sd_code_place_within(
	const char *region, size_t length, const char *file, unsigned line, char *out, size_t size);

/* "increment() count.c:12", "parallel region at heat.f90:12", "libfoo.so+0x1234" into `out`;
 * "unknown code" for node 0. */
void sd_code_place_text(const struct sd_stacks *s, unsigned node, char *out, size_t size);

/* The node and at most `most` of its callers, none above main(): "make() count.c:7 <- main()
 * count.c:30"; "" for node 0. */
void sd_code_place_callers(
	const struct sd_stacks *s, unsigned node, unsigned most, char *out, size_t size);

/* Is this a function of a garbage collector: HotSpot's serial and mark-sweep ones, V8's, CPython's,
 * Go's, Boehm's? And is one on that stack? */
int sd_code_place_collects(const char *function);
int sd_code_place_in_collector(const struct sd_stacks *s, unsigned node);

#endif
