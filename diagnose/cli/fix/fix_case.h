/*
 * One change that a record asks for, while it is found out whether it can be said exactly.
 */
#ifndef SD_FIX_CASE_H
#define SD_FIX_CASE_H

#include "analysis/line_layout.h"
#include "fix/fix_locks.h"
#include "fix/fix_source.h"

#define SD_FIX_CHANGES 256

/* One change of a layout or of a loop, and what it takes. */
struct sd_fix_case {
	const struct sd_record *record;
	const struct sd_line_view *view;
	const struct sd_line_layout *layout;
	struct sd_fix_sources *sources;
	const struct sd_fix_locks *locks;
	char what[512];  /* what the diff does; "" none */
	char check[640]; /* what a person has to check; "" nothing */
	char why[640];   /* why there is no diff; "" there is one */
	struct sd_fix_step {
		struct sd_fix_source *in;
		size_t at, remove;
		char insert[1024];
	} step[SD_FIX_CHANGES];
	size_t n_step;
};

/* A text of the record; "" for none. */
const char *sd_fix_case_text(const struct sd_fix_case *c, unsigned number);

/* Notes the reason why there is no diff. -ENOENT. */
int sd_fix_case_refuse(struct sd_fix_case *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a step, of a text by its format. 0, or -ENOENT with the reason. */
int sd_fix_case_add(struct sd_fix_case *c, struct sd_fix_source *in, size_t at, size_t remove,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Adds the steps to the sources where `rc`, of who found them, is 0. 0; -ENOENT: `rc`, or another
 * change is there; -ENOMEM. */
int sd_fix_case_commit(struct sd_fix_case *c, int rc);

#endif
