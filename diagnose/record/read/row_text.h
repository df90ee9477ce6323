/*
 * The longest list of a run, its uses, read straight from the text: a tree of JSON values of them
 * takes several times as long, and most of a large record is such rows.
 *
 * Only rows exactly as they are written are read here, and only valid ones: whatever else stands
 * there is left to the reader of JSON, which says what is wrong with it.
 */
#ifndef SD_ROW_TEXT_H
#define SD_ROW_TEXT_H

#include "fields/fields.h"

/* A run's text without these rows. */
struct sd_row_text {
	struct sd_field_rows rows;
	char *rest; /* owned; with an empty list in their place; NULL: none were read */
	size_t rest_size;
};

/* 0 or -ENOMEM. Numbers in the rows that refer to other things are below what `c` has of them. */
int sd_row_text_read(
	struct sd_row_text *out, const struct sd_field_in *c, const char *text, size_t size);

void sd_row_text_free(struct sd_row_text *t); /* accepts the zeroed value */

#endif
