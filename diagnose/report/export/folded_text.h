/*
 * Stacks for flame graphs.
 */
#ifndef SD_FOLDED_TEXT_H
#define SD_FOLDED_TEXT_H

#include "page/report_style.h"

/* Stacks for flame graphs: style->folded, at the point alone, or before and after. Nothing
 * without. */
int sd_folded_text(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);
int sd_folded_text_diff(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
