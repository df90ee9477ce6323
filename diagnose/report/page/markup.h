/*
 * Texts from outside inside markup: nothing in them is ever taken for markup.
 */
#ifndef SD_MARKUP_H
#define SD_MARKUP_H

#include <stdio.h>

/* All three clean the text first (sanitize.h): control characters, bytes that are not UTF-8,
 * direction marks come out as visible escapes. Errors are the stream's. */

/* For XML and HTML, in text and in quoted attributes. */
void sd_markup_xml(FILE *f, const char *text);

/* For a cell or a paragraph of Markdown, HTML in it included. */
void sd_markup_markdown(FILE *f, const char *text);

/* A field of CSV: quoted where RFC 4180 asks for it; one that a spreadsheet would take for a
 * formula
 * (=, +, -, @, tab in front) gets an apostrophe in front. Not for numbers. */
void sd_markup_csv(FILE *f, const char *text);

#endif
