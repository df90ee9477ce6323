/*
 * One arithmetic expression over named numbers, evaluated by muParser: + - * / comparisons, && ||,
 * ?: and min(), max(). No assignment, no strings, no other function.
 */
#ifndef SD_EXPRESSION_H
#define SD_EXPRESSION_H

#include <stddef.h>

struct sd_expression {
	void *handle; /* of muParser */
	char **name;  /* owned, each owned; the variables it uses */
	double *slot; /* owned; their values, in the same order; set before evaluating */
	size_t n;
};

/* Longer ones are refused. */
#define SD_EXPRESSION_MAX 1000

/*
 * 0; -EINVAL with the reason in `why`: not an expression, or one that divides by zero for any
 * values; -ENOMEM. *out is empty on failure.
 */
int sd_expression_make(struct sd_expression *out, const char *text, char *why, size_t size);

/* 0 and *out; -EDOM: division by zero, or not finite at these values. */
int sd_expression_value(const struct sd_expression *e, double *out);

void sd_expression_free(struct sd_expression *e); /* accepts the zeroed value */

#endif
