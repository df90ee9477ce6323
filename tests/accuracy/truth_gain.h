/*
 * What a report says its first cause is worth, held against what the fixed version really gains.
 */
#ifndef SD_TRUTH_GAIN_H
#define SD_TRUTH_GAIN_H

#include <jansson.h>
#include <math.h>

#include "accuracy/truth_answer.h"

#define GAIN_NEAR .15 /* of the middle */

struct gains {
	unsigned n, inside, near; /* of first causes that are likely or confirmed */
	unsigned unbounded;       /* of these, those whose range has no upper end */
};

/* s of a run at most cores; NAN without. */
static inline double gain_wall(const json_t *root)
{
	const json_t *const points = json_object_get(root, "points");
	const json_t *const last = json_array_get(points, json_array_size(points) - 1);
	const json_t *const wall = json_object_get(json_object_get(last, "wall_s"), "value");

	return json_is_number(wall) ? json_number_value(wall) : NAN;
}

static inline double gain_number(const json_t *range, const char *key, double absent)
{
	const json_t *const x = json_object_get(range, key);

	return json_is_number(x) ? json_number_value(x) : absent;
}

/* The range of the first cause that is named; NULL: there is none. */
static inline const json_t *gain_range(const json_t *root)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		const char *const verdict = string_of(f, "verdict");

		if (strcmp(verdict, "confirmed") == 0 || strcmp(verdict, "likely") == 0)
			return json_object_get(f, "worth");
	}
	return NULL;
}

static inline void count_gain(
	struct gains *g, const char *name, const json_t *broken, const json_t *fixed)
{
	const json_t *const range = gain_range(broken);
	const double real = gain_wall(broken) / gain_wall(fixed);
	const double low = gain_number(range, "low", NAN),
		     middle = gain_number(range, "value", NAN);
	const double high = gain_number(range, "high", INFINITY);

	if (!range || isnan(real) || isnan(low) || isnan(middle))
		return;
	g->n++;
	g->inside += real >= low && real <= high;
	g->near += fabs(real / middle - 1) <= GAIN_NEAR;
	g->unbounded += isinf(high);
	printf("  gain   %-16s predicted %.2fx (%.2f to %.2f), really %.2fx%s\n", name, middle, low,
		high, real, real >= low && real <= high ? "" : ": outside");
}

#endif
