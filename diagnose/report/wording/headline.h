/*
 * The first lines of every report, in the same words: what was measured, and the answer.
 */
#ifndef SD_HEADLINE_H
#define SD_HEADLINE_H

#include "analysis/analysis.h"
#include "page/page.h"
#include "record/record.h"

/* "./app 3 · strong scaling · 5 runs a point · …"; unsanitized. The caller frees it; NULL: out of
 * memory.
 */
char *sd_headline(const struct sd_record *r, const struct sd_analysis *a);

/* "It does not scale: …". *tone: good news, bad news, doubt. The caller frees it; NULL: out of
 * memory. */
char *sd_headline_answer(
	const struct sd_record *r, const struct sd_analysis *a, enum sd_tone *tone);

#endif
