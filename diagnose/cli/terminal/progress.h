/*
 * Progress on stderr. On a terminal: intermediate results, a line for each core count, and below
 * them a line rewritten in place; everything is erased before other output. Elsewhere a plain line
 * now and then.
 */
#ifndef SD_PROGRESS_H
#define SD_PROGRESS_H

#include <stddef.h>

#include "plan/measurement.h"

struct sd_progress_line {
	int fd;
	int on;         /* fd is a terminal that can erase a line */
	int ascii;      /* the locale is not UTF-8 */
	char last[512]; /* currently shown; "" = nothing */
	char *above;    /* owned; the lines above it, as shown; NULL none */
	size_t n_above;
	double plain_s; /* time in the run when the last plain line was printed */
	int estimated;  /* one said how long it takes */
};

/* Inspects fd, which the caller keeps, and TERM. */
void sd_progress_line_open(struct sd_progress_line *line, int fd, int ascii);

/* Shows the state; `ctx` is the struct sd_progress_line. Writes nothing if nothing changed. */
void sd_progress_line_show(void *ctx, const struct sd_progress *p);

/* Shows a line of text, cut to the terminal's width. */
void sd_progress_line_text(struct sd_progress_line *line, const char *text);

/* Erases the line; accepts one that was never shown. */
void sd_progress_line_clear(struct sd_progress_line *line);

/* The state as text, at most size - 1 bytes of it. */
void sd_progress_format(const struct sd_progress *p, char *out, size_t size);

/*
 * Copies at most `width` characters of UTF-8 text; in ASCII a plus-minus sign becomes "+-", a
 * middle dot "|" and any other character "?". Never splits a character.
 */
void sd_progress_fit(const char *text, size_t width, int ascii, char *out, size_t size);

#endif
