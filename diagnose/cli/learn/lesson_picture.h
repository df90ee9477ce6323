/*
 * Results of a lesson's runs, drawn for a page: times with their intervals, where the time of both
 * versions goes, and the lines that make the difference. Without scripts: it is the same on paper.
 */
#ifndef SD_LESSON_PICTURE_H
#define SD_LESSON_PICTURE_H

#include <stdio.h>

#include "analysis/comparison.h"
#include "learn/lesson_files.h"
#include "run/diagnosis.h"

/* Results of a lesson that was held; owned. */
struct sd_lesson_told {
	char *results; /* as text without colours: both diagnoses, and the comparison */
	char *picture; /* as HTML; NULL: nothing was run */
};
void sd_lesson_told_free(struct sd_lesson_told *told); /* accepts the zeroed value */

/* Style for the page's head, after the report's. */
extern const char sd_lesson_picture_style[];

void sd_lesson_picture(FILE *f, const struct sd_lesson_files *files, const struct sd_diagnosis d[2],
	const struct sd_comparison *c);

/* The lines of code alone, which need no runs. */
void sd_lesson_picture_code(FILE *f, const struct sd_lesson_files *files);

#endif
