/*
 * Option values shared by several commands. Errors are reported to the sink and returned as EINVAL,
 * as argp parsers do.
 */
#ifndef SD_COMMON_VALUES_H
#define SD_COMMON_VALUES_H

#include <argp.h>

#include "base/sink.h"

/* --format "text|json". */
enum sd_format { SD_FORMAT_TEXT, SD_FORMAT_JSON };

/* Keys of options that many commands have, and that mean the same in each; they have no letters. */
enum { SD_KEY_JSON = 5000, SD_KEY_BRIEF, SD_KEY_HTML };
#define SD_OPTION_JSON(group)                                                    \
	{                                                                        \
		"json", SD_KEY_JSON, NULL, 0, "The same as --format json", group \
	}
#define SD_OPTION_BRIEF(group)                                                                            \
	{                                                                                                 \
		"brief", SD_KEY_BRIEF, NULL, 0,                                                           \
			"Print one JSON object of at most 4 KB: the answer, the causes, what to do next", \
			group                                                                             \
	}

/* One of the words, "text|json": stores its index. */
error_t sd_common_values_choice(const struct sd_sink *sink, const char *option, const char *value,
	const char *words, unsigned *out);

/* An integer from low to high. */
error_t sd_common_values_number(const struct sd_sink *sink, const char *option, const char *value,
	unsigned low, unsigned high, unsigned *out);

/* A time: "90", "1.5m", "2h", "250ms"; a plain number is seconds. *out in seconds, from low to
 * high. */
error_t sd_common_values_seconds(const struct sd_sink *sink, const char *option, const char *value,
	double low, double high, double *out);

#endif
