/*
 * Where in a record a fault is: the place in the JSON as a person writes it, and the line of the
 * file.
 */
#ifndef SD_JSON_PATH_H
#define SD_JSON_PATH_H

#include <stddef.h>

#include "base/sink.h"

/* One step from the root: a member by its key, or with key NULL an array's element. Chained on the
 * stack. */
struct sd_json_path {
	const struct sd_json_path *up; /* NULL: the root itself */
	const char *key;
	size_t index;
};

/* The text being read. */
struct sd_source {
	const char *name; /* of the file, for messages */
	const char *text;
	size_t size;
	const struct sd_sink *sink;
};

/* Says "name:line: runs[3].metrics.wall: <message>", and returns -EINVAL. `at` NULL is the whole
 * record. */
int sd_json_path_fault(const struct sd_source *s, const struct sd_json_path *at, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));

/* The line (from 1) at which the value at `at` begins in `text`, which is valid JSON; 0 when it is
 * not found. */
size_t sd_json_path_line(const char *text, size_t size, const struct sd_json_path *at);

#endif
