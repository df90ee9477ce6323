#include "read/run_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

static const char key[] = "\"runs\"";

/* Behind the string that begins at `at`; `size`: it does not end. */
static size_t behind_string(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < size ? at + 1 : size;
}

static size_t behind_space(const char *text, size_t size, size_t at)
{
	while (at < size &&
		(text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
		at++;
	return at;
}

/* The bracket behind the key, at the first level; `size`: there is none. */
static size_t list_of_runs(const char *text, size_t size)
{
	size_t depth = 0, at = behind_space(text, size, 0);

	if (at == size || text[at] != '{')
		return size;
	while (at < size) {
		const size_t begin = at;

		if (text[at] != '"') {
			depth += text[at] == '{' || text[at] == '[';
			depth -= (text[at] == '}' || text[at] == ']') && depth > 0;
			at++;
			continue;
		}
		at = behind_string(text, size, at);
		if (depth != 1 || at - begin != sizeof key - 1 ||
			memcmp(text + begin, key, sizeof key - 1) != 0)
			continue;
		at = behind_space(text, size, at);
		if (at == size || text[at] != ':')
			continue; /* a value */
		at = behind_space(text, size, at + 1);
		return at < size && text[at] == '[' ? at : size;
	}
	return size;
}

int sd_run_texts_add(struct sd_run_texts *t, size_t begin, size_t end)
{
	return SD_APPEND(t->run, t->n, &(struct sd_run_text){.begin = begin, .end = end});
}

/* The next byte that is not between brackets, commas and strings. */
static size_t behind_plain(const char *text, size_t size, size_t at)
{
	static const unsigned char ends[256] = {
		['"'] = 1, [','] = 1, ['['] = 1, [']'] = 1, ['{'] = 1, ['}'] = 1};

	while (at < size && !ends[(unsigned char)text[at]])
		at++;
	return at;
}

/* The elements from behind the bracket on; *end: the bracket that closes the list, `size` without.
 */
static int split(const char *text, size_t size, size_t at, struct sd_run_texts *t, size_t *end)
{
	size_t depth = 0, begin = at;
	int rc = 0;

	*end = size;
	while ((at = behind_plain(text, size, at)) < size && !rc) {
		const char c = text[at];

		if (c == '"') {
			at = behind_string(text, size, at);
			continue;
		}
		if (depth == 0 && c == ',') {
			rc = sd_run_texts_add(t, begin, at);
			begin = at + 1;
		} else if (depth == 0 && (c == ']' || c == '}')) {
			/* an empty list has no element; behind a comma there is one, if only space
			 */
			if (t->n || behind_space(text, at, begin) < at)
				rc = sd_run_texts_add(t, begin, at);
			*end = at;
			return rc;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
	}
	return rc;
}

/* Behind the object, from behind a bracket at its first level on; `size`: it does not end. */
static size_t behind_object(const char *text, size_t size, size_t at)
{
	size_t depth = 1;

	while (at < size && depth > 0) {
		const char c = text[at];

		if (c == '"') {
			at = behind_string(text, size, at);
			continue;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
	}
	return at;
}

/* The text with the list between these brackets empty. */
static int put_rest(
	const char *text, size_t size, size_t open, size_t close, struct sd_run_texts *t)
{
	size_t lines = 0;
	char *to;

	for (size_t i = open; i < close; i++)
		lines += text[i] == '\n';
	t->rest_size = open + 1 + lines + size - close;
	t->rest = to = malloc(t->rest_size);
	if (!to)
		return -ENOMEM;
	memcpy(to, text, open + 1);
	memset(to + open + 1, '\n', lines);
	memcpy(to + open + 1 + lines, text + close, size - close);
	return 0;
}

int sd_run_texts_find(const char *text, size_t size, struct sd_run_texts *out)
{
	const size_t open = list_of_runs(text, size);
	size_t close;
	int rc;

	*out = (struct sd_run_texts){0};
	if (open == size)
		return 0;
	rc = split(text, size, open + 1, out, &close);
	if (!rc && close < size)
		rc = put_rest(text, size, open, close, out);
	if (rc || !out->rest)
		sd_run_texts_free(out);
	else
		out->behind = size - behind_object(text, size, close + 1);
	return rc;
}

void sd_run_texts_free(struct sd_run_texts *t)
{
	free(t->rest);
	free(t->run);
	*t = (struct sd_run_texts){0};
}
