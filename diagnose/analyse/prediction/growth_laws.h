/*
 * Growth laws: how the core-seconds of a part of the program depend on the number of cores
 * (METHODS 6.1, after Extra-P).
 */
#ifndef SD_GROWTH_LAWS_H
#define SD_GROWTH_LAWS_H

#include <stddef.h>

/* c(n) = a f(n) + b g(n); laws of one parameter first. */
#define SD_GROWTH_LAWS(X)         \
	X(CONSTANT, 1, 1, 0)      \
	X(LINEAR, 1, n, 0)        \
	X(LOG, 1, n *log(n), 0)   \
	X(AND_LINEAR, 2, 1, n)    \
	X(AND_SQUARE, 2, 1, n *n) \
	X(AND_LOG, 2, 1, n *log(n)) /* not a candidate for choice: too similar to AND_LINEAR */

enum sd_law_kind {
#define X(id, parameters, f, g) SD_LAW_##id,
	SD_GROWTH_LAWS(X)
#undef X
		SD_LAW_COUNT
};

struct sd_law {
	enum sd_law_kind kind;
	double a, b;
	double error; /* sum of squared errors, each divided by its point's unit */
};

/* c[i] core-seconds at n[i] >= 1 cores; an error counts in units of unit[i] > 0. */
struct sd_law_points {
	const double *n, *c, *unit;
	size_t count;
};

/* Core counts needed to choose a law by AICc (METHODS 6.1). */
#define SD_LAW_POINTS 5u

/* Least squares with b >= 0, since nothing shrinks forever. */
struct sd_law sd_law_fit(enum sd_law_kind kind, const struct sd_law_points *p);

/*
 * The law with the least AICc, except laws with too many parameters for the number of points. Needs
 * three points.
 */
struct sd_law sd_law_choose(const struct sd_law_points *p);

double sd_law_at(const struct sd_law *l, double n);

#endif
