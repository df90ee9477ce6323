/*
 * "Did you mean …?": which of the known words a mistyped one is nearest to.
 */
#ifndef SD_NEAREST_H
#define SD_NEAREST_H

#include <stddef.h>

struct sd_nearest {
	const char *word;
	size_t length;
	const char *best; /* borrowed; NULL: none was near enough so far */
	size_t distance;  /* of `best` */
};

/* The first `length` bytes of the word that nobody knows; it is borrowed. */
void sd_nearest_begin(struct sd_nearest *n, const char *word, size_t length);

/*
 * One of the known words. It is near enough when at most a third of the longer word's letters are
 * to be inserted, removed, replaced or swapped with their neighbour (at least one letter may be,
 * and never all of them), or when it begins with the mistyped word, or has four letters of it or
 * more as they are; "one-mutex" also by one of its words, where that has four letters or more. The
 * first of equals is kept.
 */
void sd_nearest_try(struct sd_nearest *n, const char *known);

/* "; did you mean 'perfetto'?", or "" where nothing was near enough. */
#define SD_NEAREST_HINT 96
const char *sd_nearest_hint(const struct sd_nearest *n, char out[SD_NEAREST_HINT]);

#endif
