/*
 * The answer for machines that have little room: one JSON object on a line, of the same view as the
 * text (configs/schema/brief.schema.json).
 */
#ifndef SD_JSON_BRIEF_H
#define SD_JSON_BRIEF_H

#include <jansson.h>
#include <stdio.h>

#include "page/report_style.h"

struct sd_view;

/* Bytes of the line with its end, at most. */
#define SD_JSON_BRIEF_BYTES 4096

struct sd_json_brief {
	const char *kind;           /* "report", "check", "comparison", "cause"; static */
	const char *record;         /* its path; NULL unknown */
	const struct sd_view *view; /* of that record */
	int alone;                  /* without the answer on the program */
	/* Puts the members that this kind has besides, each text in `room` bytes of JSON at most;
	 * without memory *object is released and NULL (sd_json_set). NULL: none. */
	void (*more)(json_t **object, size_t room, const void *ctx);
	const void *ctx;
};

/* Texts are cut as far as is necessary, and end in "…" then. 0, -EIO or -ENOMEM. */
int sd_json_brief_print(FILE *f, const struct sd_json_brief *b);

/* That of a record, without more. */
int sd_json_brief_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);

#endif
