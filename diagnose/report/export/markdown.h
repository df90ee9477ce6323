/*
 * The report in Markdown, for comments on a change.
 */
#ifndef SD_MARKDOWN_H
#define SD_MARKDOWN_H

#include "page/report_style.h"

/* For a comment on a change: GitHub's and GitLab's dialect. */
int sd_markdown_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/* The causes that the text numbers, as a list. */
struct sd_view;
void sd_markdown_causes(FILE *f, const struct sd_view *v);

#endif
