/*
 * The report of `scalediag lines`: contested lines, working sets, loops, pages, races of a
 * simulated run. The same facts as text and as JSON.
 */
#ifndef SD_LINES_REPORT_H
#define SD_LINES_REPORT_H

#include <stdio.h>

#include "lines.h"
#include "report.h"

/* 0, or -EIO when `f` took an error; -ENOMEM. */
int sd_lines_text(FILE *f, const struct sd_record *r, const struct sd_lines *l,
	const struct sd_report_style *s);
int sd_lines_json(FILE *f, const struct sd_record *r, const struct sd_lines *l);

/*
 * "increment() count.c:12", "libfoo.so+0x1234" into `out`; "unknown code" for node 0. Raw: what
 * prints it cleans it.
 */
void sd_lines_place(const struct sd_stacks *s, unsigned node, char *out, size_t size);

#endif
