/*
 * The values in pages of HTML: texts, numbers with their interval, places. Errors are those of the
 * stream.
 */
#ifndef SD_HTML_VALUES_H
#define SD_HTML_VALUES_H

#include <stdio.h>

#include "analysis/analysis.h"

/* Text from outside. */
void sd_html_text(FILE *f, const char *text);
/* The same between our own markup. */
void sd_html_around(FILE *f, const char *before, const char *text, const char *after);

/* "<td>1.31 ± 0.01</td>" with the interval on hover, or a status if there is no number. runs 0:
 * exact by definition. */
void sd_html_cell(
	FILE *f, struct sd_interval v, size_t runs, double factor, int decimals, const char *unit);

/* A place: function, file, line; the whole names on hover, files from `folder` on (or NULL). */
void sd_html_place(FILE *f, const struct sd_where *w, const char *folder);

#endif
