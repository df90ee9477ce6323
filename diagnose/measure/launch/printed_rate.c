#include "launch/printed_rate.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const char *from = NULL;
	size_t length = 0, n, skip;
	char *line = NULL;
	struct stat st;
	void *map;
	int rc = -ENODATA;

	if (fd < 0 || fstat(fd, &st)) {
		rc = -errno;
		goto out;
	}
	if (st.st_size <= 0)
		goto out;
	/* the offset of a mapping must be a multiple of the page size: any power of two from 4 to
	 * 64 KiB */
	skip = (size_t)st.st_size > FILE_MOST ? ((size_t)st.st_size - FILE_MOST) & ~(size_t)0xffff
					      : 0;
	n = (size_t)st.st_size - skip;
	line = malloc(LINE_MOST + 1);
	if (!line) {
		rc = -ENOMEM;
		goto out;
	}
	map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, (off_t)skip);
	if (map == MAP_FAILED) {
		rc = -errno;
		goto out;
	}
	if (match_text(r, map, n, line, &from, &length))
		rc = to_number(from, length, value, text, size);
	munmap(map, n);
out:
	free(line);
	if (fd >= 0)
		close(fd);
	return rc;
}
