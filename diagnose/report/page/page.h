/*
 * The text of a report: lines within the width, safe for any terminal, with bars and few colours.
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
	unsigned ends; /* of lines, one behind the other: two in a row are an empty line */
	int failed;    /* a line could not be written: out of memory, or a write error */
};

void sd_page_begin(struct sd_page *p, FILE *f, const struct sd_report_style *s);
/* 0; -EIO: the stream; -ENOMEM. */
int sd_page_end(struct sd_page *p);

/* Writes the text as it is, without a newline. Only for text without untrusted parts. */
void sd_page_put(struct sd_page *p, enum sd_tone tone, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A paragraph: sanitized, and wrapped at spaces to fit the width; words longer than a line are not
 * broken. The first line starts with `first`, the others with `indent` spaces. Newlines that
 * `first` begins with are empty lines before the paragraph.
 */
void sd_page_wrap(struct sd_page *p, const char *first, unsigned indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same, with each line in this tone. */
void sd_page_wrap_tone(struct sd_page *p, enum sd_tone tone, const char *first, unsigned indent,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A bar of `fraction` (0..1) of `columns`, in eighths of a column; `gain` draws it hollow. Not
 * padded: returns the columns it took. */
unsigned sd_page_bar(struct sd_page *p, double fraction, unsigned columns, int gain);

/* Columns of a UTF-8 text, ignoring combining and wide characters. */
size_t sd_page_columns(const char *text);

/* The text, in the page's character set, padded to `columns` with spaces on the left (right = 1) or
 * right. */
void sd_page_cell(
	struct sd_page *p, enum sd_tone tone, const char *text, size_t columns, int right);

/* A word for a shell, quoted if necessary. The caller frees it; NULL: out of memory. */
char *sd_page_word(const char *word);

/* All words of a command, as one would type it. The caller frees it; NULL: out of memory. */
char *sd_page_command(const struct sd_texts *argv);

/* The words of a command as these two write it, each quoted or not, and appended to *argv. 0;
 * -EINVAL: a quote is not closed; -ENOMEM. */
int sd_page_words(const char *command, struct sd_texts *argv);

/* Closes a stream of open_memstream() (NULL: there was no memory): its text, which the caller
 * frees; or NULL, and nothing is left of it. */
char *sd_page_written(FILE *f, char **text);

#endif
