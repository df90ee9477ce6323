/*
 * The text of a report: lines that keep within the width, safe for any terminal, with bars and few
 * colours.
 */
#ifndef SD_PAGE_H
#define SD_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "page/report_style.h"

enum sd_tone { SD_TONE_PLAIN, SD_TONE_BOLD, SD_TONE_GOOD, SD_TONE_BAD, SD_TONE_DOUBT, SD_TONE_DIM };

struct sd_page {
	FILE *f; /* borrowed */
	unsigned width;
	int colour, ascii;
	int failed; /* a line could not be written: no memory, or the file took an error */
};

void sd_page_begin(struct sd_page *p, FILE *f, const struct sd_report_style *s);
/* 0 or -EIO. */
int sd_page_end(struct sd_page *p);

/* The text as it is; no newline is added. Only for text that holds nothing from outside. */
void sd_page_put(struct sd_page *p, enum sd_tone tone, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A paragraph: cleaned, broken at spaces so that it fits the width; a word longer than a line is
 * left whole. The first line begins with `first`, the others with `indent` spaces.
 */
void sd_page_wrap(struct sd_page *p, const char *first, unsigned indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same; each line in this tone. */
void sd_page_wrap_tone(struct sd_page *p, enum sd_tone tone, const char *first, unsigned indent,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A bar of `fraction` (0..1) of `columns`, in eighths of a column; `gain` draws it hollow. Not
 * padded: returns the columns it took. */
unsigned sd_page_bar(struct sd_page *p, double fraction, unsigned columns, int gain);

/* Columns that a UTF-8 text takes, combining and wide letters not considered. */
size_t sd_page_columns(const char *text);

/* The text padded with spaces on the left (right = 1) or right to `columns`, as the page's
 * characters allow. */
void sd_page_cell(
	struct sd_page *p, enum sd_tone tone, const char *text, size_t columns, int right);

/* A word as a shell would need it, quoted where it must be; a fresh string or NULL. */
char *sd_page_word(const char *word);

/* All words of a command, as one could type it; a fresh string or NULL. */
char *sd_page_command(const struct sd_texts *argv);

#endif
