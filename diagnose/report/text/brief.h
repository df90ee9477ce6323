/*
 * The report as it is printed: the view (view/view.h) as text, at most 25 lines of 80 columns for
 * one cause and 40 for three.
 */
#ifndef SD_BRIEF_H
#define SD_BRIEF_H

#include "page/report_style.h"

/* 0 or -EIO when `f` took an error or there was no memory. */
int sd_brief_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
