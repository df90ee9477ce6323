/*
 * Holding a lesson: the code, a guess, the runs, what they showed, what to make of it.
 */
#ifndef SD_LESSON_RUN_H
#define SD_LESSON_RUN_H

#include "context/context.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"

struct sd_lesson_run_wish {
	const char *cores; /* NULL: powers of two */
	unsigned budget;   /* s, for all measurements of both versions; 0: as the lesson needs */
	int no_quiz, no_run, notes;
};

/* On stdout; `html` not NULL: also as a page in this file. SD_EXIT_DONE, or another status after a
 * message. Nothing is left behind but the page. */
enum sd_exit sd_lesson_run_hold(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_lesson_run_wish *wish, const char *html);

#endif
