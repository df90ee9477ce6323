/*
 * The cells of a table as people paste it: set apart by commas, semicolons, tabs, the bars of
 * Markdown, colons or blanks.
 */
#ifndef SD_TABLE_CELLS_H
#define SD_TABLE_CELLS_H

#include <stddef.h>

#include "import/import.h"

#define SD_TABLE_CELL 256 /* bytes of a cell with its end */

/* The character that sets the cells of the line [p, end) apart: the first that stands in it of ;
 * tab | , : and, for want of those, blanks. */
char sd_table_cells_separator(const char *p, const char *end);

/* A row of a Markdown table has a bar at either end, which is none of its cells. */
void sd_table_cells_trim(char separator, const char **p, const char **end);

/* Is the line the rule below a Markdown table's head, |---|--:|? */
int sd_table_cells_is_rule(char separator, const char *p, size_t n);

/*
 * The next cell of the line [*p, end), trimmed and without its quotes; *p moves behind it. 1; 0:
 * there is none left; -EINVAL after a message.
 */
int sd_table_cells_next(const struct sd_import_text *t, unsigned line, char separator,
	const char **p, const char *end, char cell[SD_TABLE_CELL]);

#endif
