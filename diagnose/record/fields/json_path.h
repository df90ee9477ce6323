/*
 * The location of an error in a record: a readable JSON path, and the line of the file.
 */
#ifndef SD_JSON_PATH_H
#define SD_JSON_PATH_H

#include <stddef.h>

#include "base/sink.h"

/* One step from the root: a member by key or, with key NULL, an array element. Chained on the call
 * stack. */
struct sd_json_path {
	const struct sd_json_path *up; /* NULL: the root itself */
	const char *key;
	size_t index;
};

/* The text being read: of all, or of one value within. */
struct sd_source {
	const char *name; /* of the file, for messages */
	const char *text;
	size_t size;
	const struct sd_sink *sink;
	const struct sd_json_path *base; /* of the value; NULL: all */
	size_t line;                     /* the text begins so many lines into the file */
};

/* Says "name:line: runs[3].metrics.wall: <message>", and returns -EINVAL. `at` NULL is the whole
 * record. */
int sd_json_path_fault(const struct sd_source *s, const struct sd_json_path *at, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));

/* The line (from 1) of the file at which the value at `at`, below the base, starts in the text,
 * which must be valid JSON; 0: not found. */
size_t sd_json_path_line(const struct sd_source *s, const struct sd_json_path *at);

#endif
