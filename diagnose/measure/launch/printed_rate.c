#include "launch/printed_rate.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "base/number.h"

#define FILE_MOST ((size_t)64 << 20)
#define LINE_MOST ((size_t)64 << 10)

int sd_printed_rate_open(struct sd_printed_rate *r, const char *pattern, const struct sd_sink *sink)
{
	char why[256];
	const int error = regcomp(&r->regex, pattern, REG_EXTENDED);

	if (!error)
		return 0;
	regerror(error, &r->regex, why, sizeof why);
	sd_say(sink, SD_LEVEL_ERROR, "--rate '%s' is not an extended regular expression: %s",
		pattern, why);
	return -EINVAL;
}

void sd_printed_rate_close(struct sd_printed_rate *r)
{
	regfree(&r->regex);
}

/* The last match within a line; 1 when there is one. */
static int match_line(const struct sd_printed_rate *r, const char *line, size_t n,
	const char **from, size_t *length)
{
	regoff_t at = 0;
	int found = 0;

	while ((size_t)at <= n) {
		regmatch_t m[2] = {{.rm_so = at, .rm_eo = (regoff_t)n}};
		const regmatch_t *group;

		/* REG_STARTEND: bytes, not a string, so that a NUL in the output ends nothing */
		if (regexec(&r->regex, line, 2, m, REG_STARTEND | (at ? REG_NOTBOL : 0)))
			break;
		group = r->regex.re_nsub ? &m[1] : &m[0];
		if (group->rm_so >= 0 && group->rm_eo > group->rm_so) {
			found = 1;
			*from = line + group->rm_so;
			*length = (size_t)(group->rm_eo - group->rm_so);
		}
		at = m[0].rm_eo > m[0].rm_so ? m[0].rm_eo : m[0].rm_eo + 1;
	}
	return found;
}

/*
 * From the last line to the first: a rate is printed at the end. `line` has room for LINE_MOST + 1
 * bytes: regexec() is given a copy that ends in a NUL, as REG_STARTEND alone is not known to
 * everything that may stand in front of it (the address sanitizer reads up to a NUL, which took
 * time quadratic in the file), and a file that fills its last page has none.
 */
static int match_text(const struct sd_printed_rate *r, const char *data, size_t n, char *line,
	const char **from, size_t *length)
{
	while (n > 0) {
		const char *newline = memrchr(data, '\n', n - (data[n - 1] == '\n'));
		const size_t begin = newline ? (size_t)(newline - data) + 1 : 0;
		const size_t end = n - (data[n - 1] == '\n');
		const size_t size = end - begin < LINE_MOST ? end - begin : LINE_MOST;

		memcpy(line, data + end - size, size);
		line[size] = '\0';
		if (match_line(r, line, size, from, length))
			return 1;
		n = begin;
	}
	return 0;
}

static int to_number(const char *from, size_t length, double *value, char *text, size_t size)
{
	while (length && (*from == ' ' || *from == '\t')) {
		from++;
		length--;
	}
	if (length >= size)
		length = size - 1;
	memcpy(text, from, length);
	text[length] = '\0';
	return sd_number_double(text, DBL_MIN, DBL_MAX, value) ? -ERANGE : 0;
}

int sd_printed_rate_read(
	const struct sd_printed_rate *r, const char *path, double *value, char *text, size_t size)
{
	struct stat st;
	const int fd = sd_regular_file_open(path, O_NOFOLLOW, &st);
	const char *from = NULL;
	char *line, *bytes;
	size_t length = 0, n, skip;
	int rc = -ENODATA;

	if (fd < 0)
		return fd;
	skip = (size_t)st.st_size > FILE_MOST ? (size_t)st.st_size - FILE_MOST : 0;
	n = (size_t)st.st_size - skip;
	line = malloc(LINE_MOST + 1);
	bytes = malloc(n + 1);
	if (!line || !bytes)
		rc = -ENOMEM;
	else
		n = sd_regular_file_bytes(fd, bytes, n, (off_t)skip);
	if (rc != -ENOMEM && n && match_text(r, bytes, n, line, &from, &length))
		rc = to_number(from, length, value, text, size);
	free(bytes);
	free(line);
	close(fd);
	return rc;
}
