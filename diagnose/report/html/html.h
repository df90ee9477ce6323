/*
 * The report as a page.
 */
#ifndef SD_HTML_H
#define SD_HTML_H

#include "page/report_style.h"

/* One self-contained HTML file: no network access, charts and tables, light and dark mode. */
int sd_html_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
