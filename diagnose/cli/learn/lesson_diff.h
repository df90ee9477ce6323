/*
 * The lines in which the two programs of a lesson differ: all but their longest common subsequence.
 */
#ifndef SD_LESSON_DIFF_H
#define SD_LESSON_DIFF_H

#include <stddef.h>

/* More than any program one reads in a minute has; lines beyond count as different. */
enum { SD_LESSON_DIFF_LINES = 128 };

/* Line i (from 0) of one version has no counterpart in the other. */
struct sd_lesson_diff {
	unsigned char broken[SD_LESSON_DIFF_LINES], fixed[SD_LESSON_DIFF_LINES];
};

/* A line that tells what is different. */
struct sd_lesson_changed {
	int fixed;       /* of fixed.c, else of broken.c */
	unsigned number; /* from 1 */
	const char *at;  /* in the text; not terminated */
	size_t length;
};

/* Lines of each version that a screen has room for. */
enum { SD_LESSON_DIFF_SHOWN = 5 };

/* Those of code, in the order in which one reads the change, without comments and includes; *more:
 * there are others. Returns how many. */
size_t sd_lesson_diff_code(const char *broken, const char *fixed,
	struct sd_lesson_changed out[2 * SD_LESSON_DIFF_SHOWN], int *more);

void sd_lesson_diff(const char *broken, const char *fixed, struct sd_lesson_diff *out);

#endif
