/*
 * One arithmetic expression over named numbers, evaluated by muParser: + - * / comparisons, && ||,
 * ?:, min(), max() and known(). No assignment, no strings, no other function.
 *
 * known(a, b, ...) adds up those of its arguments that are known; it is itself unknown when none
 * is. A name that stands nowhere but inside of it is optional, and NaN in its slot says that its
 * number is not known.
 */
#ifndef SD_EXPRESSION_H
#define SD_EXPRESSION_H

#include <stddef.h>

/* Variables of one expression; the longest formula of the literature has about twelve. */
#define SD_EXPRESSION_NAMES 32

struct sd_expression {
	void *handle;            /* of muParser */
	char **name;             /* owned, each owned; the variables it uses */
	double *slot;            /* owned; their values, in the same order; set before evaluating */
	unsigned char *optional; /* owned; stands in known() only */
	size_t n;
};

/* Longer ones are refused. */
#define SD_EXPRESSION_MAX 1000

/*
 * 0; -EINVAL with the reason in `why`: not an expression, or one that divides by zero for any
 * values; -ENOMEM. *out is empty on failure.
 */
int sd_expression_make(struct sd_expression *out, const char *text, char *why, size_t size);

/* 0 and *out; -EDOM: division by zero, or not finite at these values, as where all arguments of a
 * known() are NaN. */
int sd_expression_value(const struct sd_expression *e, double *out);

/* Would it have a value if these of its variables (a flag each) were known, and no other? Leaves
 * the slots undefined. */
int sd_expression_would(const struct sd_expression *e, const unsigned char *there);

void sd_expression_free(struct sd_expression *e); /* accepts the zeroed value */

#endif
