/*
 * Writes changed sources, where nothing is lost by it.
 */
#ifndef SD_FIX_APPLY_H
#define SD_FIX_APPLY_H

#include "base/sink.h"
#include "fix/fix_source.h"

/*
 * Writes all sources that have changes, or none of them: first each new text and each old one as a
 * file beside it, then all are renamed into place, with their modes; where that fails for one,
 * those before it get their old texts back. One that git knows with changes that are not committed
 * is refused; of one that git does not know the old text is kept as NAME.orig, which must not be
 * there. 0 or -errno after a message, which names each file that stays changed; -ESTALE: the file
 * has another text than was read.
 */
int sd_fix_apply(const struct sd_fix_sources *s, const struct sd_sink *sink);

/* Writes them below another folder that is a copy of theirs, whatever git says. */
int sd_fix_apply_copy(
	const struct sd_fix_sources *s, const char *folder, const struct sd_sink *sink);

#endif
