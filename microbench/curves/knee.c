#include "curves/knee.h"

#include <float.h>
#include <math.h>

/* The curve as seen from the knee: its height there, its slope, and from there on more slope and a
 * jump. Only the height may be negative. */
enum { HEIGHT, SLOPE, STEEPER, JUMP, TERMS };

static void terms_of(double x, double t[TERMS])
{
	t[HEIGHT] = 1;
	t[SLOPE] = x;
	t[STEEPER] = x > 0 ? x : 0;
	t[JUMP] = x > 0;
}

/* Solves the normal equations of the terms in `use`; 0 when they have no single solution. */
static int solve(double a[TERMS][TERMS + 1], unsigned use, double out[TERMS])
{
	for (unsigned i = 0; i < TERMS; i++) {
		out[i] = 0;
		if (!(use & 1u << i))
			continue;
		/* positive definite: no need to look for a larger pivot */
		if (!(a[i][i] > 1e-12))
			return 0;
		for (unsigned r = i + 1; r < TERMS; r++) {
			const double share = a[r][i] / a[i][i];

			for (unsigned c = i; use & 1u << r && c <= TERMS; c++)
				a[r][c] -= share * a[i][c];
		}
	}
	for (unsigned i = TERMS; i-- > 0;) {
		if (!(use & 1u << i))
			continue;
		out[i] = a[i][TERMS];
		for (unsigned c = i + 1; c < TERMS; c++)
			out[i] -= use & 1u << c ? a[i][c] * out[c] : 0;
		out[i] /= a[i][i];
	}
	return 1;
}

/* The sum of squares that is left with the knee at point k and these terms; infinite when a term
 * that must not be is negative. */
static double misfit(const double *x, const double *y, size_t n, size_t k, unsigned use)
{
	double a[TERMS][TERMS + 1] = {{0}}, term[TERMS], factor[TERMS], sum = 0;

	for (size_t i = 0; i < n; i++) {
		terms_of(x[i] - x[k], term);
		for (unsigned r = 0; r < TERMS; r++) {
			for (unsigned c = 0; c < TERMS; c++)
				a[r][c] += term[r] * term[c];
			a[r][TERMS] += term[r] * y[i];
		}
	}
	if (!solve(a, use, factor))
		return INFINITY;
	for (unsigned r = HEIGHT + 1; r < TERMS; r++)
		if (factor[r] < 0)
			return INFINITY;
	for (size_t i = 0; i < n; i++) {
		double fit = 0;

		terms_of(x[i] - x[k], term);
		for (unsigned r = 0; r < TERMS; r++)
			fit += factor[r] * term[r];
		sum += (y[i] - fit) * (y[i] - fit);
	}
	return sum;
}

/* How far above the line through the points before it a knee may lie, of the whole climb. */
#define STANDS_OUT 0.05
#define LEVEL_POINTS 4u /* before the knee, or its line is not known */

/*
 * Does the knee lie on the climb itself? A fully associative table that does not forget the least
 * recently used entry misses little with one page too many, and nearly always with two: the jump
 * that fits best then begins one page late. Seen on a Zen 4 (72 entries): 1.02, 1.18, 2.33 and 2.74
 * with 72 to 75 pages.
 */
static int on_the_climb(const double *x, const double *y, size_t n, size_t k)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, top = y[k], slope, level;

	if (k < LEVEL_POINTS)
		return 0;
	for (size_t i = 0; i < k; i++) {
		const double dx = x[i] - x[k];

		sx += dx;
		sy += y[i];
		sxx += dx * dx;
		sxy += dx * y[i];
	}
	slope = fmax(0, ((double)k * sxy - sx * sy) / ((double)k * sxx - sx * sx));
	level = (sy - slope * sx) / (double)k;
	for (size_t i = k + 1; i < n; i++)
		top = fmax(top, y[i]);
	return y[k] - level > STANDS_OUT * (top - level);
}

size_t sd_knee(const double *x, const double *y, size_t n)
{
	double least = INFINITY;
	size_t best = n;

	if (n < 4)
		return n;
	/* two points after the knee: one alone fits any jump */
	for (size_t k = 0; k + 2 < n; k++)
		for (unsigned use = 0; use < 1u << TERMS; use++) {
			double sum;

			if (!(use & 1u << HEIGHT) || !(use & (1u << STEEPER | 1u << JUMP)))
				continue;
			sum = misfit(x, y, n, k, use);
			if (sum < least) {
				least = sum;
				best = k;
			}
		}
	/* a straight line fits as well: nothing climbs */
	if (best < n && least >= misfit(x, y, n, 0, 1u << HEIGHT | 1u << SLOPE) - DBL_EPSILON)
		return n;
	while (best < n && best > 0 && on_the_climb(x, y, n, best))
		best--;
	return best;
}
