/*
 * Whole lines of a source that move, so that what a change does is seen at a glance.
 */
#ifndef SD_FIX_LINES_H
#define SD_FIX_LINES_H

#include "fix/fix_case.h"

/* Do the bytes from `at` to `to`, a statement's, stand on lines of their own but for comments? */
int sd_fix_lines_alone(const struct sd_fix_source *in, size_t at, size_t to);

/* The first byte of the line that byte `at` is in, and that behind its end. */
size_t sd_fix_lines_begin(const struct sd_fix_source *in, size_t at);
size_t sd_fix_lines_end(const struct sd_fix_source *in, size_t at);

/* The bytes of spaces and tabs that the line of byte `at` begins with. */
size_t sd_fix_lines_indent(const struct sd_fix_source *in, size_t at);

/* Removes the lines of [at, to). 0 or -ENOENT with the reason. */
int sd_fix_lines_remove(struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t to);

/* Moves them before the line of byte `before`; no directive but pragmas may lie between. 0 or
 * -ENOENT with the reason. */
int sd_fix_lines_move(
	struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t to, size_t before);

/* Puts a line before that of byte `before`, with its indentation. `more`: how much further. */
int sd_fix_lines_put(struct sd_fix_case *c, struct sd_fix_source *in, size_t before,
	const char *more, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
