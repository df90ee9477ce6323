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

/* As above, unless the list already has exactly this text. */
int sd_texts_add_once(struct sd_texts *t, const char *text);

void sd_texts_free(struct sd_texts *t); /* leaves the empty list; accepts it */

#endif
