#include "prediction/scaling_fits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define USL_POINTS 6

struct usl {
	double alpha, beta, gamma, error; /* error: sum of squares */
};

struct sd_value sd_scaling_fits_amdahl(const struct sd_curve *c, size_t n)
{
	double xy = 0, xx = 0;

	for (size_t i = 0; i < n; i++) {
		double x = 1 - 1 / c[i].n, y = 1 / c[i].x - 1 / c[i].n;

		xy += x * y;
		xx += x * x;
	}
	if (!(xx > 0))
		return SD_NOT(ABSENT);
	return SD_OK(fmin(1, fmax(0, xy / xx)));
}

/* The best gamma for given alpha and beta, and what remains. */
static struct usl best_gamma(const struct sd_curve *c, size_t n, double alpha, double beta)
{
	struct usl u = {alpha, beta, 0, 0};
	double xg = 0, gg = 0;

	for (size_t i = 0; i < n; i++) {
		double k = c[i].n, g = k / (1 + alpha * (k - 1) + beta * k * (k - 1));

		xg += c[i].x * g;
		gg += g * g;
	}
	u.gamma = xg / gg;
	for (size_t i = 0; i < n; i++) {
		double k = c[i].n, g = k / (1 + alpha * (k - 1) + beta * k * (k - 1));
		double e = c[i].x - u.gamma * g;

		u.error += e * e;
	}
	return u;
}

static struct usl better(struct usl a, struct usl b)
{
	return b.error < a.error ? b : a;
}

static struct usl on_border(const struct sd_curve *c, size_t n, double log_x, int is_alpha)
{
	return is_alpha ? best_gamma(c, n, exp(log_x), 0) : best_gamma(c, n, 0, exp(log_x));
}

/*
 * The minimum along one border: a scan over ten decades, since the error may have more than one
 * minimum, and golden section around the best.
 */
static struct usl border(const struct sd_curve *c, size_t n, int is_alpha)
{
	const double golden = (sqrt(5) - 1) / 2, step = .25;
	struct usl best = best_gamma(c, n, 0, 0);
	double centre = -20, low, high;

	for (int i = 0; i <= 92; i++) {
		double x = -20 + step * i;
		struct usl u = on_border(c, n, x, is_alpha);

		if (u.error < best.error) {
			best = u;
			centre = x;
		}
	}
	low = centre - step;
	high = centre + step;
	for (int i = 0; i < 80; i++) {
		double a = high - golden * (high - low), b = low + golden * (high - low);

		if (on_border(c, n, a, is_alpha).error < on_border(c, n, b, is_alpha).error)
			high = b;
		else
			low = a;
	}
	return better(best, on_border(c, n, (low + high) / 2, is_alpha));
}

/*
 * Gradient and curvature (J'J of the residuals) of the error in (log alpha, log beta), gamma
 * eliminated; the projection of the Jacobian keeps Gauss-Newton exact for the eliminated gamma
 * (Kaufman 1975).
 */
static void normal_equations(
	const struct sd_curve *c, size_t n, const struct usl *u, double h[3], double g[2])
{
	double gg = 0, ga = 0, gb = 0;

	h[0] = h[1] = h[2] = g[0] = g[1] = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			double k = c[i].n;
			double d = 1 + u->alpha * (k - 1) + u->beta * k * (k - 1);
			double f = k / d, e = c[i].x - u->gamma * f;
			double ja = -u->gamma * f * u->alpha * (k - 1) / d;
			double jb = -u->gamma * f * u->beta * k * (k - 1) / d;

			if (pass == 0) {
				gg += f * f;
				ga += f * ja;
				gb += f * jb;
				continue;
			}
			ja -= f * ga / gg;
			jb -= f * gb / gg;
			h[0] += ja * ja;
			h[1] += ja * jb;
			h[2] += jb * jb;
			g[0] += ja * e;
			g[1] += jb * e;
		}
	}
}

static struct usl interior(const struct sd_curve *c, size_t n, double alpha, double beta)
{
	struct usl u = best_gamma(c, n, alpha, beta);
	double damping = 1e-3;

	for (int i = 0; i < 200 && damping < 1e12; i++) {
		double h[3], g[2], det, da, db;
		struct usl next;

		normal_equations(c, n, &u, h, g);
		h[0] *= 1 + damping;
		h[2] *= 1 + damping;
		det = h[0] * h[2] - h[1] * h[1];
		if (!(det > 0))
			break;
		da = (h[2] * g[0] - h[1] * g[1]) / det;
		db = (h[0] * g[1] - h[1] * g[0]) / det;
		/* A step of more than e^3 leaves the region in which the model was expanded. */
		da = fmax(-3, fmin(3, da));
		db = fmax(-3, fmin(3, db));
		next = best_gamma(c, n, u.alpha * exp(da), u.beta * exp(db));
		if (next.error < u.error) {
			u = next;
			damping *= .1;
		} else {
			damping *= 10;
		}
	}
	return u;
}

static int by_n(const void *a, const void *b)
{
	const struct sd_curve *x = a, *y = b;

	return (x->n > y->n) - (x->n < y->n);
}

/* Counts different n of a curve that is sorted. */
static size_t different(const struct sd_curve *c, size_t n)
{
	size_t k = n > 0;

	for (size_t i = 1; i < n; i++)
		k += c[i].n > c[i - 1].n;
	return k;
}

void sd_scaling_fits_usl(const struct sd_curve *c, size_t n, struct sd_fits *out)
{
	static const double start[][2] = {{.01, 1e-4}, {.1, 1e-3}, {.3, 1e-6}, {1e-3, 1e-2}};
	struct usl best;

	out->usl_alpha = out->usl_beta = out->usl_gamma = SD_NOT(ABSENT);
	out->usl_peak = out->usl_limit = SD_NOT(ABSENT);
	if (different(c, n) < USL_POINTS)
		return;
	best = better(border(c, n, 1), border(c, n, 0));
	for (size_t i = 0; i < sizeof start / sizeof *start; i++)
		best = better(best, interior(c, n, start[i][0], start[i][1]));
	/* below this at any n that was measured it is rounding */
	if (best.beta * c[n - 1].n * c[n - 1].n < 1e-6)
		best = better(border(c, n, 1), best_gamma(c, n, 0, 0));
	if (!isfinite(best.error) || !(best.gamma > 0))
		return;
	out->usl_alpha = SD_OK(best.alpha);
	out->usl_beta = SD_OK(best.beta);
	out->usl_gamma = SD_OK(best.gamma);
	if (best.beta > 0)
		out->usl_peak = SD_OK(sqrt(fmax(0, 1 - best.alpha) / best.beta));
	if (best.alpha * c[n - 1].n > 1e-6)
		out->usl_limit = SD_OK(best.gamma / best.alpha);
}

int sd_scaling_fits_fill(struct sd_analysis *a, int weak)
{
	struct sd_curve *c = calloc(a->n_point ? a->n_point : 1, sizeof *c);
	size_t n = 0;

	if (!c)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].n == a->point[i].cores && a->point[i].speedup.value > 0)
			c[n++] = (struct sd_curve){
				(double)a->point[i].n / a->point[0].n, a->point[i].speedup.value};
	qsort(c, n, sizeof *c, by_n);
	if (!weak)
		a->fits.amdahl_serial = sd_scaling_fits_amdahl(c, n);
	sd_scaling_fits_usl(c, n, &a->fits);
	if (sd_has(a->fits.usl_peak))
		a->fits.usl_peak.value *= a->point[0].n; /* in cores, not in reference counts */
	free(c);
	return 0;
}
