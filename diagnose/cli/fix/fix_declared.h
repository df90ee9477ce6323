/*
 * Declarations whose layout changes: where they are, and what is put there.
 */
#ifndef SD_FIX_DECLARED_H
#define SD_FIX_DECLARED_H

#include "fix/fix_case.h"

/* The word that aligns, in the language of the object. */
const char *sd_fix_declared_align(const struct sd_line_object *o);

/* The source of a declaration, which may be changed. 0, -ENOENT with the reason, or -ENOMEM. */
int sd_fix_declared_source(
	struct sd_fix_case *c, unsigned file, unsigned line, struct sd_fix_source **out);

/* A name that the file does not use, for bytes that keep others apart: the first from number *n on
 * of apart, apart1, apart2, ...; *n is that of the next one. */
void sd_fix_declared_name(const struct sd_fix_source *in, unsigned *n, char out[24]);

/* Says what else depends on the size of the type that changes, and on its alignment where it gets
 * one; `more` behind it. */
void sd_fix_declared_check(struct sd_fix_case *c, const char *more);

#endif
