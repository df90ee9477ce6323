/*
 * Values of options that several commands take. What is wrong with one is said to the sink, and
 * EINVAL returned: what an argp parser returns.
 */
#ifndef SD_COMMON_VALUES_H
#define SD_COMMON_VALUES_H

#include <argp.h>

#include "base/sink.h"

/* --format of commands that print no report of a record, and their names. */
enum sd_format { SD_FORMAT_TEXT, SD_FORMAT_JSON };
extern const char *const sd_common_values_format[];

/* One of the names, which end with NULL: its place in them. */
error_t sd_common_values_choice(const struct sd_sink *sink, const char *option, const char *value,
	const char *const *names, unsigned *out);

/* A whole number from low to high. */
error_t sd_common_values_number(const struct sd_sink *sink, const char *option, const char *value,
	unsigned low, unsigned high, unsigned *out);

/* The one record of the command. */
error_t sd_common_values_record(const struct sd_sink *sink, const char *value, const char **path);

#endif
