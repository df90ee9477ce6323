/*
 * Grades a class: each student's folder of a lesson, as a table.
 */
#ifndef SD_LEARN_CLASS_H
#define SD_LEARN_CLASS_H

#include "learn/lesson_run.h"
#include "learn/lesson_track.h"

enum sd_class_format { SD_CLASS_TEXT, SD_CLASS_CSV, SD_CLASS_JSON };

struct sd_learn_class_wish {
	const char *folder; /* of one student, or of a folder for each */
	const char *html;   /* a page to write, too; NULL: none */
	enum sd_class_format format;
	const struct sd_lesson_run_wish *run;
};

/* `item`: the lesson; NULL: that which a LESSON.md in the folders names. SD_EXIT_DONE: all are
 * right; SD_EXIT_CHECK: one is not; another status after a message. */
enum sd_exit sd_learn_class(const struct sd_cli *cli, const struct sd_lesson_track *t,
	const struct sd_lesson_track_item *item, const struct sd_learn_class_wish *wish);

#endif
