#include "simfile/sim_file_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#define MOST 1e18 /* of any count: beyond, it is not one */

int sd_sim_file_words_bad(const struct sd_sim_file_words *r, const char *format, ...)
{
	va_list ap;
	int at;

	if (!r->why || !r->n)
		return -EBADMSG;
	at = snprintf(r->why, r->n, "line %u: ", r->line);
	if (at < 0 || (size_t)at >= r->n)
		return -EBADMSG;
	va_start(ap, format);
	vsnprintf(r->why + at, r->n - (size_t)at, format, ap);
	va_end(ap);
	return -EBADMSG;
}

int sd_sim_file_words_u64(struct sd_sim_file_words *r, uint64_t *out)
{
	const char *p = r->rest;
	unsigned base = 10;
	uint64_t v = 0;

	p += *p == ' ';
	if (p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
	}
	if (!*p || *p == ' ')
		return sd_sim_file_words_bad(r, "a number is missing");
	for (; *p && *p != ' '; p++) {
		const char *const digits = "0123456789abcdef", *const d = strchr(digits, *p);

		if (!d || (unsigned)(d - digits) >= base ||
			v > (UINT64_MAX - (uint64_t)(d - digits)) / base)
			return sd_sim_file_words_bad(r, "\"%.24s\" is not a number", r->rest);
		v = v * base + (uint64_t)(d - digits);
	}
	*out = v;
	r->rest = p;
	return 0;
}

int sd_sim_file_words_count(struct sd_sim_file_words *r, double *out)
{
	uint64_t v = 0;

	if (sd_sim_file_words_u64(r, &v))
		return -EBADMSG;
	if ((double)v > MOST)
		return sd_sim_file_words_bad(r, "%" PRIu64 " is too large for a count", v);
	*out = (double)v;
	return 0;
}

int sd_sim_file_words_below(struct sd_sim_file_words *r, uint64_t high, uint64_t *out)
{
	if (sd_sim_file_words_u64(r, out))
		return -EBADMSG;
	return *out <= high
		       ? 0
		       : sd_sim_file_words_bad(r, "%" PRIu64 " is more than %" PRIu64, *out, high);
}

int sd_sim_file_words_unsigned(struct sd_sim_file_words *r, uint64_t high, unsigned *out)
{
	uint64_t v = 0;

	if (sd_sim_file_words_below(r, high, &v))
		return -EBADMSG;
	*out = (unsigned)v;
	return 0;
}

int sd_sim_file_words_int(struct sd_sim_file_words *r, int high, int *out)
{
	unsigned v;

	if (sd_sim_file_words_unsigned(r, (uint64_t)high, &v))
		return -EBADMSG;
	*out = (int)v;
	return 0;
}

int sd_sim_file_words_counts(struct sd_sim_file_words *r, double *const *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sd_sim_file_words_count(r, to[i]))
			return -EBADMSG;
	return 0;
}

int sd_sim_file_words_text(struct sd_sim_file_words *r, char *out, size_t size)
{
	const char *const p = r->rest + (*r->rest == ' ');
	const size_t n = strlen(p);

	if (n >= size)
		return sd_sim_file_words_bad(r, "a text longer than %zu bytes", size - 1);
	memcpy(out, p, n + 1);
	r->rest = p + n;
	return 0;
}

void *sd_sim_file_words_append(
	struct sd_sim_file_words *r, void *array, size_t *n, size_t size, size_t most, int *rc)
{
	void **const at = array;
	char *p = *at;

	*rc = 0;
	if (*n >= most) {
		*rc = sd_sim_file_words_bad(r, "more than %zu of its kind", most);
		return NULL;
	}
	p = sd_one_more(*at, *n, size);
	if (!p) {
		*rc = -ENOMEM;
		return NULL;
	}
	*at = p;
	p += (*n)++ * size;
	memset(p, 0, size);
	return p;
}
