/*
 * The sources that a change is made to: those in hand, as the program that was measured was built
 * from, or why they are not.
 */
#ifndef SD_FIX_SOURCE_H
#define SD_FIX_SOURCE_H

#include "fix/c_statements.h"
#include "fix/source_edit.h"
#include "record/record.h"

#define SD_FIX_SOURCES 64

struct sd_fix_source {
	char *named; /* owned; as the program's debugging information names it */
	char *path;  /* owned; from the folder on */
	char *text;  /* owned; NULL: `why` */
	size_t size;
	char why[512];
	struct sd_c_tokens tokens;
	struct sd_c_tokens compiled; /* without what the program was not built from */
	struct sd_source_edits edits;
};

struct sd_fix_sources {
	const struct sd_record *record;               /* borrowed; of the program */
	char *folder;                                 /* owned; absolute, without links */
	struct sd_fix_source *source[SD_FIX_SOURCES]; /* owned */
	size_t n;
};

/* `folder`: of the sources. 0 or -errno of the folder. */
int sd_fix_sources_open(
	struct sd_fix_sources *s, const struct sd_record *record, const char *folder);

/*
 * The source of that name, read and checked once: it lies below the folder, there or by the end of
 * its name, and is regular, older than the program that was measured, and nobody's who generates
 * it. `text` is NULL where it may not be changed. NULL: no memory, or too many.
 */
struct sd_fix_source *sd_fix_sources_at(struct sd_fix_sources *s, const char *named);

/* Reads the sources of all code that the record names, as far as they lie below the folder, so that
 * functions and macros are found in them. 0 or -ENOMEM. */
int sd_fix_sources_all(struct sd_fix_sources *s);

/* Prints the changes of all as a diff. 0 or -ENOMEM. */
int sd_fix_sources_diff(FILE *f, const struct sd_fix_sources *s);

void sd_fix_sources_free(struct sd_fix_sources *s); /* accepts the zeroed value */

#endif
