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

/* Says in a sentence what the table's last rows show, without the table. */
void sd_lesson_counts_said(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record);

/* Page faults of both versions at the largest count, as counted by this kernel, if the lesson is
 * about them. */
void sd_lesson_counts_faults(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *const *record);

/* A lesson's count in a simulated record, at its largest count of cores; NAN: not simulated, or
 * only in part. */
double sd_lesson_counts_of(enum sd_lesson_count what, const struct sd_record *r);

/* Did each measured run print what those of the other record did at the same count? */
int sd_lesson_counts_same_output(const struct sd_record *a, const struct sd_record *b);

/* Page faults, of a measured one; NAN: not counted. */
double sd_lesson_counts_faults_of(const struct sd_record *r);

#endif
