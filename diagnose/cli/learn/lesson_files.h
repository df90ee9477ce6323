/*
 * The lessons of microbench/lessons, built into the program so that they are also available when
 * installed.
 */
#ifndef SD_LESSON_FILES_H
#define SD_LESSON_FILES_H

#include <stddef.h>

/* The built-in files, in the order of the folders' numbers; the last name is NULL. Each text ends
 * with a NUL at its `_end`. */
struct sd_lesson_files {
	const char *folder; /* "01-false-sharing" */
	const char *broken, *broken_end, *fixed, *fixed_end, *text, *text_end;
};
extern const struct sd_lesson_files sd_lesson_files[];

/* scalediag.h, which services report their work by. */
extern const char sd_lesson_header[], sd_lesson_header_end[];

/* "false-sharing" */
const char *sd_lesson_name(const struct sd_lesson_files *l);

/* Finds a lesson by name, folder or number; NULL: none. */
const struct sd_lesson_files *sd_lesson_find(const char *name);

/* The name of the lesson most likely meant (base/nearest.h); NULL: none is near. */
const char *sd_lesson_nearest(const char *name);

#endif
