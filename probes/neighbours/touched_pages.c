#include "neighbours/touched_pages.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The upper 95 % bound of a Poisson mean of which c were counted: half the chi-square of 2 c + 2
 * degrees, by Wilson and Hilferty's cube (Proc. Nat. Acad. Sci. 17, 1931); 1 % too
 * low for 0, whose bound is 3.00. */
static double poisson_bound(double c)
{
	const double df = 2 * c + 2, v = 2 / (9 * df), root = 1 - v + 1.6449 * sqrt(v);

	return df * root * root * root / 2;
}

struct sd_value sd_touched_pages(uint64_t *address, size_t n)
{
	const double all = (double)n * ((double)n - 1) / 2;
	double pairs = 0;

	if (n < SD_TOUCHED_LEAST)
		return SD_NOT(ABSENT);
	qsort(address, n, sizeof *address, by_value);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && address[k] / SD_TOUCHED_PAGE == address[i] / SD_TOUCHED_PAGE;
			k++)
			;
		pairs += (double)(k - i) * (double)(k - i - 1) / 2;
	}
	return SD_OK(SD_TOUCHED_PAGE * fmax(1, all / poisson_bound(pairs)));
}
