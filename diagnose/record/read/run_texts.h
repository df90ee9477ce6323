/*
 * Positions of the runs in the text of a record: a record has up to a million, of which one at a
 * time is made a tree of JSON values. That takes ten times the memory of its text.
 */
#ifndef SD_RUN_TEXTS_H
#define SD_RUN_TEXTS_H

#include <stddef.h>

struct sd_run_text {
	size_t begin, end; /* bytes of the text, space around it included */
	int without_lanes; /* a line of the journal says that they were dropped later */
};

struct sd_run_texts {
	char *rest; /* the text with an empty list instead, as many lines long; NULL: there is no
		       such list, or it does not end */
	size_t rest_size;
	size_t behind; /* bytes of the text that are behind the object; 0 also: it does not end */
	struct sd_run_text *run;
	size_t n;
	int spend; /* a run's text need not stay when it was read */
};

/* One more. 0 or -ENOMEM. */
int sd_run_texts_add(struct sd_run_texts *t, size_t begin, size_t end);

/* Finds the elements of the list "runs" of the object that `text` is. Only brackets, commas and
 * strings are looked at: what is between them is for a reader of JSON to judge, of each and of the
 * rest. 0 or -ENOMEM. */
int sd_run_texts_find(const char *text, size_t size, struct sd_run_texts *out);
void sd_run_texts_free(struct sd_run_texts *t); /* accepts the zeroed value */

#endif
