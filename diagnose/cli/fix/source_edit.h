/*
 * Changes of a text: what is put in place of which bytes, as a unified diff and as the text after
 * them.
 */
#ifndef SD_SOURCE_EDIT_H
#define SD_SOURCE_EDIT_H

#include <stddef.h>
#include <stdio.h>

struct sd_source_edits {
	struct sd_source_change {
		size_t at, remove; /* bytes of the old text */
		char *insert;      /* owned */
	} * change;                /* owned; by `at`, without overlaps */
	size_t n;
};

/* Adds a change, `insert` by its format; one that is there already is not added again. 0, -ENOMEM,
 * or -EINVAL: it overlaps another. */
int sd_source_edits_add(struct sd_source_edits *e, size_t at, size_t remove, const char *insert,
	...) __attribute__((format(printf, 4, 5)));
/* Would it overlap another one? */
int sd_source_edits_overlaps(
	const struct sd_source_edits *e, size_t at, size_t remove, const char *insert);
void sd_source_edits_free(struct sd_source_edits *e); /* accepts and leaves the zeroed value */

/* The text after the changes, which the caller frees; NULL: no memory. */
char *sd_source_edits_apply(
	const struct sd_source_edits *e, const char *text, size_t size, size_t *length);

/* Prints what `diff -u` would: `patch -p1` applies it to the file `path`. 0 or -ENOMEM. */
int sd_source_edits_diff(
	FILE *f, const struct sd_source_edits *e, const char *path, const char *text, size_t size);

#endif
