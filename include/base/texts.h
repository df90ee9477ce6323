/*
 * A growing list of sentences: warnings, evidence, advice.
 */
#ifndef SD_TEXTS_H
#define SD_TEXTS_H

#include <stddef.h>

struct sd_texts {
	char **text; /* owned, each owned */
	size_t n;
};

/* Formats and appends. 0 or -ENOMEM (list unchanged). */
int sd_texts_add(struct sd_texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* In the last text a number that is 0 as printed loses its minus: "-0.00" of a sentence is 0.00. */
void sd_texts_unsign_zeroes(struct sd_texts *t);

/* Is one of them exactly this? */
int sd_texts_has(const struct sd_texts *t, const char *text);

/* Appends a copy, unless the list already has exactly this text. 0 or -ENOMEM. */
int sd_texts_add_once(struct sd_texts *t, const char *text);

void sd_texts_free(struct sd_texts *t); /* leaves the empty list; accepts it */

#endif
