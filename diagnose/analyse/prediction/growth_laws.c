#include "prediction/growth_laws.h"

#include <math.h>

/* Relative errors below this are those of clocks, not of a law. */
#define EXACT 1e-6

static void basis(enum sd_law_kind kind, double n, double *f, double *g)
{
	switch (kind) {
#define X(id, parameters, first, second) \
	case SD_LAW_##id:                \
		*f = (first);            \
		*g = (second);           \
		return;
		SD_GROWTH_LAWS(X)
#undef X
	case SD_LAW_COUNT:
		break;
	}
	*f = *g = 0;
}

static double parameters(enum sd_law_kind kind)
{
	static const int of[SD_LAW_COUNT] = {
#define X(id, parameters, f, g) [SD_LAW_##id] = (parameters),
		SD_GROWTH_LAWS(X)
#undef X
	};

	return of[kind];
}

double sd_law_at(const struct sd_law *l, double n)
{
	double f, g;

	basis(l->kind, n, &f, &g);
	return l->a * f + l->b * g;
}

struct sd_law sd_law_fit(enum sd_law_kind kind, const struct sd_law_points *p)
{
	double ff = 0, fg = 0, gg = 0, fc = 0, gc = 0, det;
	struct sd_law l = {.kind = kind};

	for (size_t i = 0; i < p->count; i++) {
		double f, g, c = p->c[i] / p->unit[i];

		basis(kind, p->n[i], &f, &g);
		f /= p->unit[i];
		g /= p->unit[i];
		ff += f * f;
		fg += f * g;
		gg += g * g;
		fc += f * c;
		gc += g * c;
	}
	det = ff * gg - fg * fg;
	if (det > 1e-12 * ff * gg)
		l.b = fmax(0, (gc * ff - fc * fg) / det);
	if (ff > 0)
		l.a = (fc - l.b * fg) / ff;
	for (size_t i = 0; i < p->count; i++) {
		double e = (sd_law_at(&l, p->n[i]) - p->c[i]) / p->unit[i];

		l.error += e * e;
	}
	return l;
}

struct sd_law sd_law_choose(const struct sd_law_points *p)
{
	const double n = (double)p->count;
	double least = INFINITY;
	struct sd_law best = {0};

	for (int kind = 0; kind < SD_LAW_AND_LOG; kind++) {
		/* the size of the errors is fitted as well */
		const double k = parameters((enum sd_law_kind)kind) + 1;
		struct sd_law l;
		double aicc;

		if (n - k - 1 <= 0)
			continue;
		l = sd_law_fit((enum sd_law_kind)kind, p);
		aicc = n * log(l.error / n + EXACT * EXACT) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
		if (aicc < least) {
			least = aicc;
			best = l;
		}
	}
	return best;
}
