/*
 * Writes changed sources, where nothing is lost by it.
 */
#ifndef SD_FIX_APPLY_H
#define SD_FIX_APPLY_H

#include "base/sink.h"
#include "fix/fix_source.h"

/*
 * Writes all sources that have changes, or none of them where one cannot be written: each is
 * renamed into place, with its mode. One that git knows with changes that are not committed is
 * refused; of one that git does not know the old text is kept as NAME.orig, which must not be
 * there. 0 or -errno after a message; -ESTALE: the file has another text than was read.
 */
int sd_fix_apply(const struct sd_fix_sources *s, const struct sd_sink *sink);

/* Writes them below another folder that is a copy of theirs, whatever git says. */
int sd_fix_apply_copy(
	const struct sd_fix_sources *s, const char *folder, const struct sd_sink *sink);

#endif
