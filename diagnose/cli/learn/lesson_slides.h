/*
 * Lessons for a projector: one self-contained page, a lesson after another.
 */
#ifndef SD_LESSON_SLIDES_H
#define SD_LESSON_SLIDES_H

#include "context/context.h"
#include "learn/lesson_picture.h"
#include "learn/lesson_track.h"

/* `told`: of each lesson of the track what its runs showed, empty where nothing was run. `notes`:
 * with the instructor's. SD_EXIT_DONE, or SD_EXIT_MEASURE after a message. */
enum sd_exit sd_lesson_slides_write(const struct sd_cli *cli, const struct sd_lesson_track *track,
	const struct sd_lesson_told *told, int notes, const char *path);

#endif
