/*
 * Compares the gain that a report promises for its first cause with the fixed version's real one.
 */
#ifndef SD_TRUTH_GAIN_H
#define SD_TRUTH_GAIN_H

#include <jansson.h>
#include <math.h>

#include "base/statistics.h"
#include "base/status.h"
#include "accuracy/truth_answer.h"

#define GAIN_NEAR .15 /* of the middle */
#define GAINS 256

struct gains {
	unsigned n, inside, near; /* of first causes that are likely or confirmed */
	unsigned unbounded;       /* of these, those whose range has no upper end */
	double width[GAINS];      /* of the range, shares of the predicted gain; the first ones */
};

static inline double gain_number(const json_t *range, const char *key, double absent)
{
	const json_t *const x = json_object_get(range, key);

	return json_is_number(x) ? json_number_value(x) : absent;
}

/* s of a run at most cores, with its interval; all NAN without. */
static inline struct sd_interval gain_wall(const json_t *root)
{
	const json_t *const points = json_object_get(root, "points");
	const json_t *const last = json_array_get(points, json_array_size(points) - 1);
	const json_t *const wall = json_object_get(last, "wall_s");
	const double value = gain_number(wall, "value", NAN);

	return (struct sd_interval){.value = value,
		.low = gain_number(wall, "low", value),
		.high = gain_number(wall, "high", value)};
}

/* The fixed version has the first cause removed, and of a program with two causes both. */
static inline int gain_is_fixed(const struct truth *t, const json_t *finding, unsigned before)
{
	const char *const verdict = string_of(finding, "verdict");

	if (strcmp(verdict, "confirmed") != 0 && strcmp(verdict, "likely") != 0)
		return 0;
	for (size_t i = 0; before && i < t->n_right; i++)
		if (t->n_right > 1 &&
			strcmp(sd_cause_info[t->cause[i]].name, string_of(finding, "cause")) == 0)
			return 1;
	return before == 0;
}

/* Share of the cores that is free when a program gets so many times as fast. */
static inline double gain_share(double times)
{
	return 1 - 1 / times;
}

/* The gain that its reports promise for the fixed version: their shares of the cores add up, and
 * the upper end of the first has what no other cause surely has. Absent: no cause is named. */
static inline struct sd_interval gain_predicted(const struct truth *t, const json_t *root)
{
	struct sd_interval share = {.status = SD_STATUS_ABSENT};
	unsigned n = 0;
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		const json_t *const worth = json_object_get(f, "worth");
		const double low = gain_share(gain_number(worth, "low", NAN));

		if (!gain_is_fixed(t, f, n))
			continue;
		share.value += gain_share(gain_number(worth, "value", NAN));
		share.low += low;
		share.high += n ? low : gain_share(gain_number(worth, "high", INFINITY));
		n++;
	}
	if (n == 0 || isnan(share.value) || isnan(share.low))
		return share;
	return (struct sd_interval){.value = 1 / (1 - share.value),
		.low = 1 / (1 - share.low),
		.high = share.high < 1 ? 1 / (1 - share.high) : INFINITY,
		.status = SD_STATUS_OK};
}

static inline void count_gain(
	struct gains *g, const struct truth *t, const json_t *broken, const json_t *fixed)
{
	const struct sd_interval said = gain_predicted(t, broken);
	const struct sd_interval before = gain_wall(broken), after = gain_wall(fixed);
	const double real = before.value / after.value;
	/* known as well as the two times are */
	const double low = before.low / after.high, high = before.high / after.low;
	const int inside = high >= said.low && low <= said.high;

	if (said.status != SD_STATUS_OK || isnan(real))
		return;
	if (g->n < GAINS)
		g->width[g->n] = (said.high - said.low) / said.value;
	g->n++;
	g->inside += (unsigned)inside;
	g->near += fabs(real / said.value - 1) <= GAIN_NEAR;
	g->unbounded += isinf(said.high);
	printf("  gain   %-16s predicted %.2fx (%.2f to %.2f), really %.2fx (%.2f to %.2f)%s\n",
		t->name, said.value, said.low, said.high, real, low, high,
		inside ? "" : ": outside");
}

/* The median width of a range. */
static inline double gain_width(const struct gains *g)
{
	double width[GAINS];
	const size_t n = g->n < GAINS ? g->n : GAINS;

	memcpy(width, g->width, n * sizeof *width);
	return sd_statistics_median(width, n);
}

#endif
