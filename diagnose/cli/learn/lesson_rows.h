/*
 * Rows of the table that shows where the time of both versions of a lesson goes.
 */
#ifndef SD_LESSON_ROWS_H
#define SD_LESSON_ROWS_H

#include "run/diagnosis.h"

struct sd_lesson_row {
	enum sd_component component; /* SD_COMPONENT_COUNT: everything else */
	double cores[2];             /* of broken.c, of fixed.c */
};

/* Fills in the rows of the largest count: useful work first, then what costs broken.c most, five
 * in all, and at the end the rest, as what is below 5 % of the cores in both. Returns how many. */
size_t sd_lesson_rows(
	const struct sd_diagnosis d[2], struct sd_lesson_row out[SD_COMPONENT_COUNT + 1]);

/* The row's name in the reports. */
const char *sd_lesson_row_label(const struct sd_lesson_row *r);

#endif
