/*
 * Compares what the programs of a lesson print, at few threads and two sizes, so that a version
 * that leaves out work is told from one that is faster.
 */
#ifndef SD_LESSON_RESULTS_H
#define SD_LESSON_RESULTS_H

#include "learn/lesson_folder.h"

#define SD_LESSON_RESULTS_COUNTS 3 /* of threads, 1 and up */
#define SD_LESSON_RESULTS_SIZES 2  /* as the lesson says, and about twice */

struct sd_lesson_results {
	unsigned counts; /* of threads, that this machine can run */
	struct sd_lesson_printed {
		unsigned char *text; /* owned */
		size_t size;
		enum sd_exit status;
	} of[SD_LESSON_RESULTS_SIZES][SD_LESSON_RESULTS_COUNTS];
};

/* Runs the compiled broken.c of a lesson's own folder, on a machine that grants so many CPUs.
 * SD_EXIT_DONE, or another status after a message: it does not run here. *r must be freed in every
 * case. */
enum sd_exit sd_lesson_results_make(
	struct sd_lesson_results *r, const struct sd_lesson_folder *room, unsigned granted);

/* Does broken.c of another folder print the same? 1; 0 with the reason in `why`. */
int sd_lesson_results_same(const struct sd_lesson_results *r, const struct sd_lesson_folder *room,
	char *why, size_t size);

void sd_lesson_results_free(struct sd_lesson_results *r); /* accepts the zeroed value */

#endif
