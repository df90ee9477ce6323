/*
 * A lesson as a handout: one self-contained HTML page.
 */
#ifndef SD_LESSON_HTML_H
#define SD_LESSON_HTML_H

#include "context/context.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"
#include "learn/lesson_picture.h"

/* `told`: what the runs showed; empty: nothing was run, as the page says. `notes`: includes the
 * instructor's notes. SD_EXIT_DONE, or SD_EXIT_MEASURE after a message. */
enum sd_exit sd_lesson_html_write(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_lesson_told *told, int notes, const char *path);

#endif
