/*
 * Results of a lesson's runs on one screen: both times, how many times as fast, where the time
 * goes, and the lines that make the difference; or in full, or as JSON.
 */
#ifndef SD_LESSON_SCREEN_H
#define SD_LESSON_SCREEN_H

#include "analysis/comparison.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"
#include "page/page.h"
#include "run/diagnosis.h"

void sd_lesson_screen(struct sd_page *p, const struct sd_lesson_files *files,
	const struct sd_diagnosis d[2], const struct sd_comparison *c);

/* Decimals of the times of a comparison: three significant digits of the shortest. */
int sd_lesson_screen_decimals(const struct sd_comparison *c);

/* Both diagnoses in full, and the comparison. Errors are those of the stream. */
void sd_lesson_screen_full(FILE *f, const struct sd_lesson *l, const struct sd_diagnosis d[2],
	const struct sd_comparison *c, const struct sd_report_style *style);
/* The comparison, as `compare --json` prints it. */
void sd_lesson_screen_json(FILE *f, const struct sd_diagnosis d[2], const struct sd_comparison *c);

#endif
