#include "curves/reach.h"

#include <errno.h>
#include <math.h>

#include "curves/knee.h"

/*
 * Whoever shares the core for a while, a sibling thread or a neighbour of the virtual machine,
 * takes entries, and never gives any: the fastest samples of several rounds together are those of
 * an undisturbed core. On a Cascade Lake whose siblings were busy one round found 61 to 70 of 64
 * entries, the fastest of five 64.
 */
#define ROUNDS 24u
#define ROUNDS_LEAST 10u
#define ROUNDS_ALIKE 4u
#define ROUNDS_COARSE 3u /* with gaps: the next window is wider than they are */
#define COUNTS 48u       /* at once; more are first looked at with gaps */
#define BELOW 0.8        /* of the last count that fits: how far the level part is looked at */
#define ABOVE 3.0        /* pages past what misses often: two must lie behind the knee */

const struct sd_fastest sd_fastest_none = {INFINITY, INFINITY, INFINITY};

double sd_fastest_cost(const struct sd_fastest *f)
{
	return isinf(f->hit) ? NAN : 1 + (f->sparse - f->dense) / f->hit;
}

/* Counts around a knee, and the fastest samples of each. */
struct window {
	double pages[COUNTS + 1];
	struct sd_fastest fastest[COUNTS + 1];
	size_t n;
};

static struct window window_of(double first, double last)
{
	const double gap = fmax(1, ceil((last - first) / COUNTS));
	struct window w = {.n = 0};

	for (double p = fmax(2, floor(first)); p <= last && w.n <= COUNTS; p += gap) {
		w.pages[w.n] = p;
		w.fastest[w.n++] = sd_fastest_none;
	}
	return w;
}

/*
 * The knee of all that was measured up to now; w->n: none. Without what lies behind two counts that
 * miss often: where all sets overflow the climb ends, and a line does not fit.
 */
static size_t knee_of(const struct window *w, double climb)
{
	double pages[COUNTS + 1], cost[COUNTS + 1];
	size_t from[COUNTS + 1], n = 0, high = 0, k;

	for (size_t i = 0; i < w->n && high < 2; i++) {
		const double c = sd_fastest_cost(&w->fastest[i]);

		if (isnan(c))
			continue;
		high = c > climb ? high + 1 : 0;
		pages[n] = w->pages[i];
		cost[n] = c;
		from[n++] = i;
	}
	k = sd_knee(pages, cost, n);
	return k < n ? from[k] : w->n;
}

/* Measures until the knee stays where it is. */
static int settle(
	const struct sd_reach_search *s, struct window *w, int coarse, size_t *knee, int *settled)
{
	const unsigned rounds = coarse ? ROUNDS_COARSE : ROUNDS;
	unsigned alike = 0;

	*knee = w->n;
	*settled = 0;
	for (unsigned i = 0; i < rounds && !*settled; i++) {
		const size_t before = *knee;

		for (size_t k = 0; k < w->n; k++) {
			const int rc = s->measure(s->ctx, (unsigned)w->pages[k], &w->fastest[k]);

			if (rc)
				return rc;
		}
		*knee = knee_of(w, s->climb);
		alike = *knee < w->n && *knee == before ? alike + 1 : 1;
		*settled = alike >= ROUNDS_ALIKE && i + 1 >= ROUNDS_LEAST;
		if (s->late(s->ctx))
			break;
	}
	return *knee < w->n ? 0 : -ENODATA;
}

int sd_reach(const struct sd_reach_search *s, double low, double high, double *reach, int *settled)
{
	double first = BELOW * low, last = high + ABOVE;

	for (;;) {
		struct window w = window_of(first, last);
		const double gap = w.n > 1 ? w.pages[1] - w.pages[0] : 1;
		size_t knee;
		const int rc = settle(s, &w, gap > 1, &knee, settled);

		if (rc)
			return rc;
		*reach = w.pages[knee];
		if (gap <= 1)
			return 0;
		first = fmax(first, *reach - fmax(2 * gap, COUNTS / 2.0));
		last = fmin(last, *reach + fmax(2 * gap, COUNTS / 2.0));
	}
}
