/*
 * Prints tables and documents of facts, a printer a format; none knows a fact.
 */
#ifndef SD_RENDER_H
#define SD_RENDER_H

#include <jansson.h>
#include <stdio.h>

#include "facts/document.h"
#include "page/page.h"

/* Draws blocks on a page of text; `all`: with places and rows that a short report leaves out. */
struct sd_document sd_render_text(struct sd_page *p, int all);
/* The table alone. */
void sd_render_text_table(struct sd_page *p, const struct sd_fact_rows *rows, int all);

/* On a page of HTML; errors are those of the stream. */
struct sd_document sd_render_html(FILE *f);
void sd_render_html_table(FILE *f, const struct sd_fact_rows *rows);
/* The same, folded behind a line; `id` NULL: none. */
void sd_render_html_folded(
	FILE *f, const char *id, const char *summary, const struct sd_fact_rows *rows);

/* An array of an object a row; a new reference, or NULL without memory. */
json_t *sd_render_json(const struct sd_fact_rows *rows);
/* The object of one row. */
json_t *sd_render_json_row(const struct sd_fact_rows *rows, size_t i);
/* The same, added to an object. */
void sd_render_json_members(json_t **object, const struct sd_fact_rows *rows, size_t i);
/* A place of code: function, file, line, module, named from `folder` on, where they lie in it; and
 * places with who called them, their object and share. */
json_t *sd_render_json_where(const struct sd_where *w, const char *folder);
json_t *sd_render_json_places(const struct sd_where *w, size_t n, const char *folder);

/* For a comment; the rows that people want. */
void sd_render_markdown(FILE *f, const struct sd_fact_rows *rows);

/* A line of keys and a line a row, as RFC 4180 has them; numbers with 12 digits. */
void sd_render_csv(FILE *f, const struct sd_fact_rows *rows);

#endif
