/*
 * The lessons of microbench/lessons, which are part of the program: they are there when it is
 * installed, too.
 */
#ifndef SD_LESSON_FILES_H
#define SD_LESSON_FILES_H

#include <stddef.h>

/* What the build puts into the program, in the order of the folders' numbers; ends with a name of
 * NULL. Each text ends with a NUL at its `_end`. */
struct sd_lesson_files {
	const char *folder; /* "01-false-sharing" */
	const char *broken, *broken_end, *fixed, *fixed_end, *text, *text_end;
};
extern const struct sd_lesson_files sd_lesson_files[];

/* "false-sharing" */
const char *sd_lesson_name(const struct sd_lesson_files *l);

/* By its name, its folder or its number; NULL: there is none. */
const struct sd_lesson_files *sd_lesson_find(const char *name);

/* The name of the lesson that was meant by that (base/nearest.h), or NULL. */
const char *sd_lesson_nearest(const char *name);

#endif
