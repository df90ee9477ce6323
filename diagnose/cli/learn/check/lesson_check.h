/*
 * Grades what a student made of a lesson's broken.c: it prints the same, is faster where the
 * lesson's own fix is, the cause is gone, and no other came.
 */
#ifndef SD_LESSON_CHECK_H
#define SD_LESSON_CHECK_H

#include "check/lesson_grade.h"
#include "learn/lesson_run.h"

struct sd_lesson_check;

/* Compiles the lesson's own versions, which others are held against; they are measured with the
 * first one that prints the same. All but `out` is borrowed. SD_EXIT_DONE, or another status after
 * a message; *out must be closed in every case. */
enum sd_exit sd_lesson_check_open(struct sd_lesson_check **out, const struct sd_cli *cli,
	const struct sd_lesson_files *files, const struct sd_lesson *l,
	const struct sd_lesson_run_wish *wish);

/* Grades the text of a broken.c. Likewise; one that does not compile, or fails, has its grade. */
enum sd_exit sd_lesson_check_source(
	struct sd_lesson_check *c, const char *text, size_t size, struct sd_lesson_grade *g);

void sd_lesson_check_close(struct sd_lesson_check *c); /* accepts NULL */

#endif
