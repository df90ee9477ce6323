/*
 * A lesson whose programs are services: they are looked at while they run.
 */
#ifndef SD_LESSON_ATTACH_H
#define SD_LESSON_ATTACH_H

#include "learn/lesson_folder.h"

/* Starts the version with {n} = `granted`, executes `scalediag attach` on it at these core counts
 * (NULL: powers) for the lesson's window each, and ends it. The record is as of
 * sd_lesson_folder_measure. SD_EXIT_DONE, or another status after a message. */
enum sd_exit sd_lesson_attach_measure(
	const struct sd_lesson_folder *c, int version, const char *cores, unsigned granted);

#endif
