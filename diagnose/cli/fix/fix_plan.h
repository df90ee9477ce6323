/*
 * The changes of the sources that a record asks for: each that can be said exactly as edits of the
 * sources, the others as the place and what to do there.
 */
#ifndef SD_FIX_PLAN_H
#define SD_FIX_PLAN_H

#include "analysis/analysis.h"
#include "analysis/contested_lines.h"
#include "fix/fix_locks.h"
#include "fix/fix_source.h"
#include "page/page.h"

#define SD_FIX_ENTRIES 16

struct sd_fix_entry {
	enum sd_cause cause;
	char title[1200];
	char object[128]; /* of a line, its variable, else its type; "" unknown, or of no line */
	char what[512];   /* what the diff does; "" there is none */
	char check[640];
	char why[640];                 /* why there is none */
	char after[1024];              /* the layout then; "" it is none */
	const struct sd_texts *advice; /* borrowed; NULL: none */
};

struct sd_fix_plan {
	struct sd_fix_entry entry[SD_FIX_ENTRIES];
	size_t n, diffs; /* diffs: those that have one */
};

/* `lines`: contested ones; NULL: none. 0 or -ENOMEM. */
int sd_fix_plan_make(struct sd_fix_plan *plan, const struct sd_record *r,
	const struct sd_contested_lines *lines, const struct sd_analysis *a,
	struct sd_fix_sources *sources, const struct sd_fix_locks *locks);

/* The name of an object of a line, as in an entry. */
void sd_fix_plan_object(
	const struct sd_stacks *s, const struct sd_line_object *o, char *out, size_t size);

/* Puts the entries in words. */
void sd_fix_plan_put(struct sd_page *p, const struct sd_fix_plan *plan);

#endif
