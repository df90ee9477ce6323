/*
 * A table of a calibration's rows: the first column names, each other cell is one row's median with
 * its quartiles, or why there is none. It keeps within the page: when it is too wide, first the
 * quartiles go (with a word), then its columns are put in parts below each other.
 */
#ifndef SD_BENCH_TABLE_H
#define SD_BENCH_TABLE_H

#include "page/page.h"
#include "bench/profile_pick.h"

/* How a number is written. */
enum sd_scale {
	SD_SCALE_PLAIN, /* as it was measured, three digits */
	SD_SCALE_TIME,  /* ns, with the unit that fits: "264 ns", "17.7 us" */
	SD_SCALE_MICRO, /* ns as us, without the unit */
	SD_SCALE_MEGA,  /* 1/s as millions a second, without the unit */
	SD_SCALE_RATE,  /* 1/s, with the unit: "2.70 GHz" */
	SD_SCALE_WHOLE, /* every digit */
	SD_SCALE_BYTES, /* "11 MiB" */
};

void sd_bench_scaled(double v, enum sd_scale scale, char *out, size_t size);

/* The number, followed by '?' if noisy; else the status in a word; "-": not attempted. */
void sd_bench_cell(const struct sd_bench_row *r, enum sd_scale scale, char *out, size_t size);

#define SD_TABLE_TEXT 32
#define SD_TABLE_COLUMNS 40u

struct sd_table_cell {
	char text[SD_TABLE_TEXT], spread[SD_TABLE_TEXT];
	enum sd_tone tone;
	int word;  /* written from the left */
	int tried; /* there is a row behind it */
};

struct sd_table {
	struct sd_page *page; /* borrowed */
	char title[160];
	struct {
		char over[SD_TABLE_TEXT], head[SD_TABLE_TEXT];
	} column[SD_TABLE_COLUMNS];
	size_t columns;
	struct sd_table_cell *cell; /* owned; line after line, `columns` of each */
	size_t lines, at;           /* at: the cell of the last line that comes next */
	int failed;
};

/* Memory that is not to be had fails the page. sd_table_end() prints and frees. */
void sd_table_begin(struct sd_table *t, struct sd_page *g, const char *title, ...)
	__attribute__((format(printf, 3, 4)));
/* All columns before the first line. `over` stands above the head; "" none. */
void sd_table_column(struct sd_table *t, const char *over, const char *head, ...)
	__attribute__((format(printf, 3, 4)));
/* Begins a line with its name. */
void sd_table_line(struct sd_table *t, const char *name, ...) __attribute__((format(printf, 2, 3)));
void sd_table_text(struct sd_table *t, const char *text, ...) __attribute__((format(printf, 2, 3)));
void sd_table_value(struct sd_table *t, const struct sd_bench_row *r, enum sd_scale scale);
/* The table without the lines for which nobody measured anything; nothing when that is all. Lines
 * printed. */
size_t sd_table_end(struct sd_table *t);

#endif
