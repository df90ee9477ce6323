#include "eventmaps/map_cpus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Behind the comment or string that begins at `at`; `at` where none does. */
static size_t skip(const char *text, size_t size, size_t at)
{
	const char *const c = text + at;
	const size_t left = size - at;
	const char *end;

	if (*c == '"') {
		for (at++; at < size && text[at] != '"'; at++)
			at += text[at] == '\\';
		return at < size ? at + 1 : size;
	}
	if (*c == '#' || (left > 1 && c[0] == '/' && c[1] == '/'))
		end = memchr(c, '\n', left);
	else if (left > 1 && c[0] == '/' && c[1] == '*')
		end = memmem(c + 2, left - 2, "*/", 2);
	else
		return at;
	if (!end)
		return size;
	return (size_t)(end - text) + (*end == '*' ? 2 : 0);
}

static size_t skip_name(const char *text, size_t size, size_t at)
{
	while (at < size && (isalnum((unsigned char)text[at]) || strchr("-_*", text[at])))
		at++;
	return at;
}

/* How many brackets deep the text is behind this byte. */
static size_t deeper(size_t depth, char c)
{
	if (c == '{' || c == '(' || c == '[')
		return depth + 1;
	if ((c == '}' || c == ')' || c == ']') && depth)
		return depth - 1;
	return depth;
}

char *sd_map_cpus_text(const char *text, size_t size)
{
	char *const head = malloc(size + 1);
	size_t depth = 0, n = 0, at = 0, end;
	int roles = 0; /* the last name at the top was theirs */

	if (!head)
		return NULL;
	for (; at < size; at = end) {
		const int inside = roles && depth;

		end = skip(text, size, at);
		if (end == at)
			end = skip_name(text, size, at);
		if (end > at && !depth && text[at] != '#' && text[at] != '/' && text[at] != '"')
			roles = end - at == 5 && memcmp(text + at, "roles", 5) == 0;
		if (end == at) {
			depth = deeper(depth, text[at]);
			end = at + 1;
		}
		for (size_t i = at; i < end; i++)
			if (!inside || !depth || text[i] == '\n')
				head[n++] = text[i];
	}
	head[n] = '\0';
	return head;
}
