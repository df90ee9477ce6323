/*
 * Lessons that are held one after another.
 */
#ifndef SD_LESSON_TRACK_H
#define SD_LESSON_TRACK_H

#include <stdio.h>

#include "learn/lesson.h"
#include "learn/lesson_files.h"

struct sd_lesson_track_item {
	const struct sd_lesson_files *files;
	struct sd_lesson lesson;
};

struct sd_lesson_track {
	struct sd_lesson_track_item *item; /* owned */
	size_t n;
	unsigned minutes; /* of all */
};

/* All lessons, in the order of their numbers. 0, or -errno after a message. *out must be freed in
 * every case. */
int sd_lesson_track_all(struct sd_lesson_track *out, const struct sd_sink *sink);

/* Keeps what fits into `minutes`: by rank, as long as there is time for it, and held in that order.
 */
void sd_lesson_track_cut(struct sd_lesson_track *t, unsigned minutes);

/* A line each: when it begins, its name, minutes, what it is about. */
void sd_lesson_track_put(FILE *f, const struct sd_lesson_track *t);

void sd_lesson_track_free(struct sd_lesson_track *t); /* accepts the zeroed value */

#endif
