/*
 * A contested line by the members that lie in it (facts_layout.h), for `scalediag lines`.
 */
#ifndef SD_LINES_LAYOUT_H
#define SD_LINES_LAYOUT_H

#include <jansson.h>

#include "analysis/contested_lines.h"
#include "page/page.h"

/* Puts the table, the type and what a change makes of it; nothing where types are not known. */
void sd_lines_layout(
	struct sd_page *p, const struct sd_record *r, const struct sd_line_view *v, unsigned line);

/* {"type", "after", "members"}; null where types are not known. A new reference, or NULL without
 * memory. */
json_t *sd_lines_layout_json(const struct sd_record *r, const struct sd_line_view *v);

#endif
