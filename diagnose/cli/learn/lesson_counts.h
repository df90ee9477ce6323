/*
 * Shows the simulated counts of both versions of a lesson side by side; no times are involved.
 */
#ifndef SD_LESSON_COUNTS_H
#define SD_LESSON_COUNTS_H

#include "learn/lesson.h"
#include "page/page.h"
#include "record/record.h"

/* A table with a row for each version and core count, with partial runs marked, and what to look
 * for; nothing if neither was simulated. Two records with their names. */
void sd_lesson_counts_put(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record);

/* Page faults of both versions at the largest count, as counted by this kernel, if the lesson is
 * about them. */
void sd_lesson_counts_faults(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *const *record);

#endif
