/*
 * The throughput that a program prints (--rate).
 */
#ifndef SD_PRINTED_RATE_H
#define SD_PRINTED_RATE_H

#include <regex.h>
#include <stddef.h>

#include "base/sink.h"

struct sd_printed_rate {
	regex_t regex;
};

/* Compiles a POSIX extended regular expression. 0; -EINVAL said. */
int sd_printed_rate_open(
	struct sd_printed_rate *r, const char *pattern, const struct sd_sink *sink);
void sd_printed_rate_close(struct sd_printed_rate *r);

/*
 * The last match in a file, line by line: its first group, or all of it when the expression has
 * none. Looks at the last 64 MiB, and of a longer line at its last 64 KiB; any bytes may be in it.
 * 0; -ENODATA nothing matches; -ERANGE the match is not a number above 0 (*text, at most size - 1
 * bytes, is what it was); -errno.
 */
int sd_printed_rate_read(
	const struct sd_printed_rate *r, const char *path, double *value, char *text, size_t size);

#endif
