/*
 * Writes untrusted texts into markup, escaped so that nothing in them is interpreted.
 */
#ifndef SD_MARKUP_H
#define SD_MARKUP_H

#include <stdio.h>

/* All three sanitize the text first (sanitize.h): control characters, invalid UTF-8 and direction
 * marks become visible escapes. Errors are those of the stream. */

/* For XML and HTML, in text and in quoted attributes. */
void sd_markup_xml(FILE *f, const char *text);

/* For a cell or a paragraph of Markdown, HTML in it included. */
void sd_markup_markdown(FILE *f, const char *text);

/* A field of CSV: quoted where RFC 4180 asks for it; one that a spreadsheet would take for a
 * formula
 * (=, +, -, @, tab in front) gets an apostrophe in front. Not for numbers. */
void sd_markup_csv(FILE *f, const char *text);

#endif
