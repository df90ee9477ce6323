/* A batch of matrix products, one a thread at a time, each blocked for its share of the shared
 * cache. */
#include <stdio.h>
#include <stdlib.h>

#define BATCH 4
#define ROWS 16
#define COLUMNS 64
/* KiB of b that one thread works on at a time */
#define TILE(kib, threads) ((kib) / (threads) / 2)

/* c += a b, b in blocks of `depth` rows, each used for all rows of a */
static void product(double *restrict c, const double *a, const double *b, long inner, long depth)
{
	for (long from = 0; from < inner; from += depth)
		for (long row = 0; row < ROWS; row++)
			for (long k = from; k < from + depth && k < inner; k++)
				for (long j = 0; j < COLUMNS; j++)
					c[row * COLUMNS + j] +=
						a[row * inner + k] * b[k * COLUMNS + j];
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 1;
	const long kib = argc > 2 ? atol(argv[2]) : 4096; /* of the shared cache */
	const long tile = TILE(kib, threads) * 1024 * 3 / 4, line = COLUMNS * (long)sizeof(double);
	const long inner = kib * 1024 * 3 / 4 / line; /* all of b fills three quarters of it */
	const int rounds = argc > 3 ? atoi(argv[3]) : 1;
	double *const a = calloc((size_t)(BATCH * ROWS * inner), sizeof *a);
	double *const b = calloc((size_t)(BATCH * inner * COLUMNS), sizeof *b);
	double *const c = calloc(BATCH * ROWS * COLUMNS, sizeof *c);

	if (!a || !b || !c || threads < 1 || inner < 1 || tile < line)
		return 1;
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < BATCH; i++) {
		for (long k = 0; k < ROWS * inner; k++)
			a[i * ROWS * inner + k] = (double)k;
		for (long k = 0; k < inner * COLUMNS; k++)
			b[i * inner * COLUMNS + k] = 1;
		for (int r = 0; r < rounds; r++)
			product(c + i * ROWS * COLUMNS, a + i * ROWS * inner,
				b + i * inner * COLUMNS, inner, tile / line);
	}
	printf("%g\n", c[BATCH * ROWS * COLUMNS - 1]);
	free(a);
	free(b);
	free(c);
	return 0;
}
