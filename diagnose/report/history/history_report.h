/*
 * The history of programs over the records of a folder: text, JSON and a page for a browser.
 */
#ifndef SD_HISTORY_REPORT_H
#define SD_HISTORY_REPORT_H

#include <stdio.h>

#include "analysis/history.h"
#include "page/report_style.h"

/* 0, -EIO or -ENOMEM. `folder`: as it was named. */
int sd_history_text(FILE *f, const struct sd_history *h, const struct sd_report_style *style);
int sd_history_json(FILE *f, const struct sd_history *h, const char *folder);
int sd_history_html(FILE *f, const struct sd_history *h, const char *folder);

/* ---- shared ---------------------------------------------------------------------------------- */

/* These three write at most 128 bytes about a struct sd_history_row. "2026-11-25 15:27", of UTC; ""
 * unknown. */
void sd_history_time(const void *history_row, char *out);

/* "a1b2c3d4 main", any bytes; "" unknown. */
void sd_history_commit(const void *history_row, char *out);

/* "lock contention, 1.60 cores (likely)"; "none found". */
void sd_history_cause(const void *history_row, char *out);

/* The efficiency over the records of one program, drawn; errors are those of the stream. */
void sd_history_picture(FILE *f, const struct sd_history *of_one);

#endif
