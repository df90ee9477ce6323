/*
 * The facts of a report (as JSON) that contradictions.h holds against each other, and the list of
 * those that it found.
 */
#ifndef SD_TESTS_CONTRADICTION_FACTS_H
#define SD_TESTS_CONTRADICTION_FACTS_H

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A share of the cores that matters (METHODS 3), and so does an effect on the time. */
#define CONTRADICTIONS_GATE .05

struct contradictions {
	const json_t *report;
	char *out; /* a line each */
	size_t size, used, n;
};

static inline void __attribute__((format(printf, 2, 3)))
contradictions_add(struct contradictions *c, const char *fmt, ...)
{
	va_list ap;
	int n;

	c->n++;
	va_start(ap, fmt);
	n = vsnprintf(c->out + c->used, c->size - c->used, fmt, ap);
	va_end(ap);
	if (n > 0 && c->used + (size_t)n + 1 < c->size) {
		c->used += (size_t)n;
		c->out[c->used++] = '\n';
		c->out[c->used] = '\0';
	}
}

static inline double contradictions_number(const json_t *object, const char *key)
{
	const json_t *const v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Value of an interval {value, low, high}; NAN: not known. */
static inline double contradictions_value(const json_t *object, const char *key)
{
	return contradictions_number(json_object_get(object, key), "value");
}

static inline const char *contradictions_text(const json_t *object, const char *key)
{
	const char *const v = json_string_value(json_object_get(object, key));

	return v ? v : "";
}

static inline const json_t *contradictions_last(const json_t *report)
{
	const json_t *const points = json_object_get(report, "points");
	const size_t n = json_array_size(points);

	return n > 1 ? json_array_get(points, n - 1) : NULL;
}

static inline int contradictions_claimed(const json_t *finding)
{
	const char *const v = contradictions_text(finding, "verdict");

	return strcmp(v, "ruled-out") != 0 && strcmp(v, "not-measurable") != 0;
}

#endif
