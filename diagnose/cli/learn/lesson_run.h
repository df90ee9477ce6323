/*
 * Holds a lesson: the code, a guess, the runs, their results, the conclusion.
 */
#ifndef SD_LESSON_RUN_H
#define SD_LESSON_RUN_H

#include "context/context.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"
#include "learn/lesson_picture.h"

struct sd_lesson_run_wish {
	const char *cores; /* NULL: powers of two */
	unsigned budget;   /* s, for all measurements of both versions; 0: what the lesson needs */
	int no_quiz, no_run, notes;
	int json; /* print what changed from broken to fixed, as compare --json does, and no more */
	int all;  /* all of it, instead of one screen */
};

/* Prints to stdout, and keeps in *told what the runs showed, which the caller frees in every case.
 * SD_EXIT_DONE, or another status after a message. Leaves nothing else behind. */
enum sd_exit sd_lesson_run_hold(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_lesson_run_wish *wish,
	struct sd_lesson_told *told);

#endif
