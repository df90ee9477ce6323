/*
 * The lines in which the two programs of a lesson differ: all but their longest common subsequence.
 */
#ifndef SD_LESSON_DIFF_H
#define SD_LESSON_DIFF_H

/* More than any program one reads in a minute has; lines beyond count as different. */
enum { SD_LESSON_DIFF_LINES = 128 };

/* Line i (from 0) of one version has no counterpart in the other. */
struct sd_lesson_diff {
	unsigned char broken[SD_LESSON_DIFF_LINES], fixed[SD_LESSON_DIFF_LINES];
};

void sd_lesson_diff(const char *broken, const char *fixed, struct sd_lesson_diff *out);

#endif
