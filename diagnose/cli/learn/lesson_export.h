/*
 * A lesson for taking away: its programs, its text and a Makefile that compares them.
 */
#ifndef SD_LESSON_EXPORT_H
#define SD_LESSON_EXPORT_H

#include "context/context.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"

/* Writes broken.c, fixed.c, LESSON.md and a Makefile into `folder`, which must not exist.
 * SD_EXIT_DONE, or another status after a message. */
enum sd_exit sd_lesson_export(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *lesson, const char *folder);

#endif
