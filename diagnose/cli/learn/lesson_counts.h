/*
 * What the simulated machine counted in both versions of a lesson, side by side: no clock is in it.
 */
#ifndef SD_LESSON_COUNTS_H
#define SD_LESSON_COUNTS_H

#include "learn/lesson.h"
#include "page/page.h"
#include "record/record.h"

/* A table with a row a version and core count, those of a part of a run marked, and what to see in
 * it; nothing when neither was simulated. name[i] is of record[i], two of each. */
void sd_lesson_counts_put(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record);

/* Page faults of both versions' runs at the largest count, where the lesson is about them: as the
 * kernel counted them here. */
void sd_lesson_counts_faults(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *const *record);

#endif
