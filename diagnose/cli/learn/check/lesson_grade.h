/*
 * The grade of a lesson's version, from what was measured of it and of the lesson's own: it is
 * faster where the lesson's own fix is, the cause is gone, and no other came.
 */
#ifndef SD_LESSON_GRADE_H
#define SD_LESSON_GRADE_H

#include "analysis/comparison.h"
#include "base/status.h"
#include "learn/lesson.h"
#include "record/record.h"

enum sd_grade { SD_GRADE_RIGHT, SD_GRADE_WRONG, SD_GRADE_UNDECIDED };
extern const char *const sd_grade_name[];

struct sd_lesson_grade {
	enum sd_grade grade;
	struct sd_interval gain;       /* at the largest count; absent: not measured */
	struct sd_value before, after; /* what the lesson counts, of broken.c and of theirs */
	char why[256];                 /* what decides the grade */
};

/* A program, measured and simulated; all borrowed. `simulated` may be zeroed: it was not. */
struct sd_lesson_measured {
	const struct sd_record *record, *simulated;
};

/* Sets *g. `theirs` and `fixed`: comparisons of the lesson's broken.c with their version and with
 * its own fixed.c. */
void sd_lesson_grade_make(const struct sd_lesson *l, const struct sd_lesson_measured own[2],
	const struct sd_lesson_measured *m, const struct sd_comparison *theirs,
	const struct sd_comparison *fixed, struct sd_lesson_grade *g);

#endif
