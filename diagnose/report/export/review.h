/*
 * The causes that the text numbers as remarks on lines of code, where changes are reviewed. 0, -EIO
 * or -ENOMEM.
 */
#ifndef SD_REVIEW_H
#define SD_REVIEW_H

#include "page/report_style.h"

/*
 * SARIF 2.1.0 (OASIS): a result a cause, at the place to look at; its other places are related
 * ones. Confirmed and likely are warnings, possible is a note. Files are URIs from %SRCROOT%, the
 * top of the repository or else the folder that the program was run in, or absolute.
 */
int sd_review_sarif(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/* Workflow commands of GitHub's runners: ::warning and ::notice lines, one a cause. */
int sd_review_github(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/* The "Code Quality" of GitLab's merge requests: a list, an issue a cause. */
int sd_review_code_quality(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

/* A picture (SVG) for a page on the project: the efficiency at the largest count. */
int sd_review_badge(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
