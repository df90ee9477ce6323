/*
 * The columns of perf's tables: as wide as the dots that stand below their names.
 *
 *   #   Num  RmtHitm  LclHitm
 *   # .....  .......  .......
 */
#ifndef SD_C2C_COLUMNS_H
#define SD_C2C_COLUMNS_H

#include <stddef.h>

enum { SD_C2C_COLUMNS = 48, SD_C2C_COLUMNS_LINE = 4096, SD_C2C_COLUMNS_NAME = 24 };

struct sd_c2c_columns {
	char names[SD_C2C_COLUMNS_LINE];                /* the last line of names */
	char name[SD_C2C_COLUMNS][SD_C2C_COLUMNS_NAME]; /* in lower case, without blanks; the second
							   of a name ends in "_cycles" */
	size_t from[SD_C2C_COLUMNS], to[SD_C2C_COLUMNS];
	size_t n;
};

/* Takes a line that begins with '#': names, or the dots below them. */
void sd_c2c_columns_heading(struct sd_c2c_columns *c, const char *text);

/* The column's text in a line, without blanks around it, also returned; "" if there is none. */
const char *sd_c2c_columns_cell(const struct sd_c2c_columns *c, const char *text, const char *name,
	char out[SD_C2C_COLUMNS_LINE]);

/* "75.00%", "1878", "0x40"; 0 where there is none. */
double sd_c2c_columns_number(const struct sd_c2c_columns *c, const char *text, const char *name);

#endif
