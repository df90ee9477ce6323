/*
 * The report of `scalediag lines`: contested lines of the program's own samples; those of a
 * simulated run, with its working sets, loops, pages, races. The same facts as text and as JSON.
 */
#ifndef SD_LINES_REPORT_H
#define SD_LINES_REPORT_H

#include <stdio.h>

#include "analysis/contested_lines.h"
#include "page/report_style.h"

/* 0, or -EIO when `f` took an error; -ENOMEM. */
int sd_lines_text(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_report_style *s);
/* Only the contested lines with at least 1 % of all moves. */
int sd_lines_picture(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_report_style *s);
/* Lines of both sources side by side; nothing unless both have a run. */
int sd_lines_together(FILE *f, const struct sd_record *r, const struct sd_contested_lines *own,
	const struct sd_contested_lines *other, const struct sd_report_style *s);
/* `native`: what the program's own samples saw beside it; NULL: nothing. */
int sd_lines_json(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_contested_lines *native);

#endif
