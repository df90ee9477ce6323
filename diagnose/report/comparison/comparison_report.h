/*
 * The effect of a change on a program in text, JSON, Markdown and HTML, with the same facts in
 * each.
 */
#ifndef SD_COMPARISON_REPORT_H
#define SD_COMPARISON_REPORT_H

#include <stdio.h>

#include "analysis/comparison.h"
#include "page/report_style.h"

/* The two sides, by the names the user gave. */
struct sd_sides {
	const char *before, *after; /* paths; borrowed */
	const struct sd_record *before_record, *after_record;
};

/* 0, -EIO or -ENOMEM. */
int sd_comparison_text(FILE *f, const struct sd_comparison *c, const struct sd_sides *s,
	const struct sd_report_style *style);
int sd_comparison_json(FILE *f, const struct sd_comparison *c, const struct sd_sides *s);
/* The brief answer on the record after, and what changed. */
struct sd_view;
int sd_comparison_brief(FILE *f, const struct sd_comparison *c, const struct sd_sides *s,
	const struct sd_view *after);
int sd_comparison_markdown(FILE *f, const struct sd_comparison *c, const struct sd_sides *s);

int sd_comparison_html(FILE *f, const struct sd_comparison *c, const struct sd_sides *s);

/* The answer in a sentence: "1.45x faster at 8 cores (95 %: 1.43 to 1.47)", "No difference beyond
 * noise …". The caller frees it; NULL: out of memory. */
char *sd_comparison_sentence(const struct sd_comparison *c);

/* The time, or the throughput where those are compared. */
struct sd_interval sd_comparison_amount(const struct sd_comparison *c, struct sd_interval time);

struct sd_fact_rows;
/* The core counts with their stacks, the parts of the stack at one, and the causes: of which people
 * see those that a record names. */
struct sd_fact_rows sd_comparison_points(const struct sd_comparison *c);
struct sd_fact_rows sd_comparison_parts(const struct sd_compared_point *p);
struct sd_fact_rows sd_comparison_causes(const struct sd_comparison *c);

/* "gone", "new", "stays", "open" */
const char *sd_comparison_fate(enum sd_fate fate);

/* "Gone: serial code. New: lock contention."; "" when no cause came or went. Fresh; NULL without
 * memory. */
char *sd_comparison_moved(const struct sd_comparison *c);

/* "likely before, ruled out now" */
#define SD_COMPARISON_VERDICTS 64
void sd_comparison_verdicts(const struct sd_compared_cause *x, char out[SD_COMPARISON_VERDICTS]);

#endif
