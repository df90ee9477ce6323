/*
 * The lines in which the two programs of a lesson differ: all but their longest common subsequence.
 */
#ifndef SD_LESSON_DIFF_H
#define SD_LESSON_DIFF_H

/* More than a program that one reads in a minute has; a tail beyond them counts as different. */
enum { SD_LESSON_DIFF_LINES = 128 };

/* Line i, from 0, of each is not in the other one, at its place. */
struct sd_lesson_diff {
	unsigned char broken[SD_LESSON_DIFF_LINES], fixed[SD_LESSON_DIFF_LINES];
};

void sd_lesson_diff(const char *broken, const char *fixed, struct sd_lesson_diff *out);

#endif
