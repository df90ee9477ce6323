/*
 * How much the programs of a lesson have to do, so that a run takes about a second on the machine
 * at hand: shorter ones drown in what starting a program costs, longer ones leave too few of them.
 */
#ifndef SD_LESSON_SIZE_H
#define SD_LESSON_SIZE_H

#include "learn/lesson_folder.h"

/*
 * The lesson's arguments with {size} replaced by a number, found by running the compiled broken.c
 * on one CPU and, with {n} = `cores`, on all of them: the longer run counts. SD_EXIT_DONE and
 * *args, which the caller frees, NULL where the work is fixed; or another status, after a message.
 */
enum sd_exit sd_lesson_size_find(const struct sd_lesson_folder *c, unsigned cores, char **args);

/* `text` with each `name` replaced by the value; the caller frees it; NULL: out of memory. */
char *sd_lesson_size_with(const char *text, const char *name, unsigned long value);

#endif
