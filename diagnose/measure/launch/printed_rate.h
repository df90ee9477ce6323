/*
 * Reads the throughput that a program prints (--rate).
 */
#ifndef SD_PRINTED_RATE_H
#define SD_PRINTED_RATE_H

#include <regex.h>
#include <stddef.h>

#include "base/sink.h"

struct sd_printed_rate {
	regex_t regex;
};

/* Compiles a POSIX extended regular expression. 0; -EINVAL after a message. */
int sd_printed_rate_open(
	struct sd_printed_rate *r, const char *pattern, const struct sd_sink *sink);
void sd_printed_rate_close(struct sd_printed_rate *r);

/*
 * The last match in a file, line by line: the first group, or the whole match if the expression has
 * none. Searches the last 64 MiB, and the last 64 KiB of longer lines; the file may contain any
 * bytes. 0; -ENODATA: no match; -ERANGE: the match, stored in text (at most size - 1 bytes), is not
 * a number above 0; -errno.
 */
int sd_printed_rate_read(
	const struct sd_printed_rate *r, const char *path, double *value, char *text, size_t size);

#endif
