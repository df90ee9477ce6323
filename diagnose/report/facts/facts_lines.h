/*
 * Contested lines of two sources side by side, in the same columns: the program's own samples, and
 * those that were simulated or that the CPU sampled.
 */
#ifndef SD_FACTS_LINES_H
#define SD_FACTS_LINES_H

#include "analysis/contested_lines.h"
#include "facts/document.h"

struct sd_line_row {
	const char *from;          /* who saw it; static */
	char memory[384];          /* the object, and who allocated it */
	const char *sharing;       /* static */
	double share;              /* of all that its source counts */
	unsigned readers, writers; /* threads */
	char bytes[192];           /* by thread */
	char code[256];            /* that has most of it */
};

struct sd_line_rows {
	struct sd_line_row *row; /* owned */
	size_t n;
	const struct sd_contested_lines *own, *other; /* borrowed */
};

/* Makes the rows of the lines that matter: a line of `own`, then those of `other` in the same
 * object; then the rest of `other`. No rows unless both have a run. 0 or -ENOMEM; *out is to be
 * freed in every case. */
int sd_facts_lines_make(const struct sd_record *r, const struct sd_contested_lines *own,
	const struct sd_contested_lines *other, struct sd_line_rows *out);
void sd_facts_lines_free(struct sd_line_rows *l);

struct sd_fact_rows sd_facts_line_table(const struct sd_line_rows *l);

/* The section; nothing without rows. */
void sd_facts_lines(struct sd_document *b, const struct sd_line_rows *l);

#endif
