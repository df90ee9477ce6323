/*
 * Shared by the parts of `scalediag lines`.
 */
#ifndef SD_LINES_WORDS_H
#define SD_LINES_WORDS_H

#include "lines/lines_report.h"
#include "page/page.h"

/* 1234567 as "1,234,567"; fractional counts are estimates and rounded. */
const char *sd_lines_count(double v, char out[40]);

const char *sd_lines_bytes(double v, char out[40]); /* "1.5 MiB" */

/* A text of the record; NULL: none. Unsanitized. */
const char *sd_lines_name(const struct sd_stacks *s, unsigned text);

/* Why allocation sites of lines that are shown are not known, as a clause; NULL: they are, or the
 * lines need none. */
const char *sd_lines_blind(const struct sd_record *r, const struct sd_contested_lines *l);

double sd_lines_instructions(const struct sd_simulated *s); /* of all threads */

/* The counts by thread; there must be some. */
void sd_lines_counts(struct sd_page *p, const struct sd_contested_lines *l);

/* Put the time of a run's own samples by loop, and what is known of its addresses. */
void sd_lines_loops(struct sd_page *p, const struct sd_record *r, const struct sd_native_lines *n);

/* Data of simulated runs only: working sets, pages, conflicts, loops, races. */
void sd_lines_rest(
	struct sd_page *p, const struct sd_record *r, const struct sd_contested_lines *l);

#endif
