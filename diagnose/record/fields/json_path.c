#include "fields/json_path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Deeper than any field of a record. */
#define DEPTH 8

/* A position in text that is known to be JSON; nothing is read past `end`. */
struct cursor {
	const char *p, *end;
};

static int is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(struct cursor *c)
{
	while (c->p < c->end && is_space(*c->p))
		c->p++;
}

/* A number, true, false or null. */
static void skip_word(struct cursor *c)
{
	while (c->p < c->end && !is_space(*c->p) && *c->p != ',' && *c->p != ']' && *c->p != '}')
		c->p++;
}

static void skip_string(struct cursor *c)
{
	for (c->p++; c->p < c->end && *c->p != '"'; c->p++)
		if (*c->p == '\\')
			c->p++;
	if (c->p < c->end)
		c->p++;
}

static void skip_value(struct cursor *c)
{
	size_t depth = 0;

	do {
		skip_space(c);
		if (c->p >= c->end)
			return;
		if (*c->p == '"') {
			skip_string(c);
			continue;
		}
		if (*c->p == '[' || *c->p == '{')
			depth++;
		else if (*c->p == ']' || *c->p == '}')
			depth--;
		else if (depth == 0) {
			skip_word(c);
			continue;
		}
		c->p++;
	} while (depth > 0);
}

/* From the opening bracket to the wanted element; 0 when there is none. */
static int enter(struct cursor *c, const struct sd_json_path *step)
{
	const char open = step->key ? '{' : '[';

	skip_space(c);
	if (c->p >= c->end || *c->p != open)
		return 0;
	c->p++;
	for (size_t i = 0;; i++) {
		const char *key;
		size_t length;

		skip_space(c);
		if (c->p >= c->end || *c->p == ']' || *c->p == '}')
			return 0;
		if (step->key) {
			key = c->p + 1;
			skip_string(c);
			length = (size_t)(c->p - 1 - key);
			skip_space(c);
			c->p += c->p < c->end; /* the colon */
			skip_space(c);
			if (length == strlen(step->key) && memcmp(key, step->key, length) == 0)
				return 1;
		} else if (i == step->index) {
			return 1;
		}
		skip_value(c);
		skip_space(c);
		if (c->p >= c->end || *c->p != ',')
			return 0;
		c->p++;
	}
}

/* The chain from below `base` down; its length. */
static size_t unroll(const struct sd_json_path *at, const struct sd_json_path *base,
	const struct sd_json_path *chain[DEPTH])
{
	size_t n = 0;

	for (const struct sd_json_path *s = at; s && s != base; s = s->up)
		n++;
	if (n > DEPTH)
		return 0;
	for (size_t i = n; i-- > 0; at = at->up)
		chain[i] = at;
	return n;
}

size_t sd_json_path_line(const struct sd_source *s, const struct sd_json_path *at)
{
	const struct sd_json_path *chain[DEPTH];
	const size_t n = unroll(at, s->base, chain);
	struct cursor c = {.p = s->text, .end = s->text + s->size};
	size_t line = s->line + 1;

	for (size_t i = 0; i < n; i++)
		if (!enter(&c, chain[i]))
			return 0;
	skip_space(&c);
	for (const char *p = s->text; p < c.p; p++)
		line += *p == '\n';
	return line;
}

int sd_json_path_fault(
	const struct sd_source *s, const struct sd_json_path *at, const char *fmt, ...)
{
	const struct sd_json_path *chain[DEPTH];
	const size_t n = unroll(at, NULL, chain);
	const size_t line = sd_json_path_line(s, at);
	char place[256] = "", message[512];
	size_t used = 0;
	va_list ap;

	for (size_t i = 0; i < n && used < sizeof place; i++)
		used += (size_t)(chain[i]->key ? snprintf(place + used, sizeof place - used,
							 "%s%.80s", i ? "." : "", chain[i]->key)
					       : snprintf(place + used, sizeof place - used,
							 "[%zu]", chain[i]->index));
	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	if (n > 0 && line > 0)
		sd_say(s->sink, SD_LEVEL_ERROR, "%s:%zu: %s: %s", s->name, line, place, message);
	else
		sd_say(s->sink, SD_LEVEL_ERROR, "%s: %s%s%s", s->name, place, n ? ": " : "",
			message);
	return -EINVAL;
}
