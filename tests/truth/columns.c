/* A matrix with rows of a page and a bit, its elements in two lines of each; rows in any order. */
#include "team.h"
#include "work.h"
#include "zeroes.h"

#define ROWS 16384u
#define STRIDE 4160u
#define COLUMNS 16u
#define PASSES (480 / SMALLER)

static char *matrix;

static uint64_t row_part(unsigned row, unsigned from, unsigned to)
{
	const uint64_t *const e = (const uint64_t *)(matrix + (size_t)row * STRIDE);
	uint64_t sum = 0;

	for (unsigned c = from; c < to; c++)
		sum += e[c];
	return sum;
}

static void part(const struct team_member *m)
{
	uint64_t at = 0;

	for (int p = 0; p < PASSES; p++)
#ifdef FIXED
		for (unsigned r = m->id; r < ROWS; r += m->n) {
			at += row_part((unsigned)((r + at) * 5209 % ROWS), 0, COLUMNS);
		}
#else
		for (unsigned r = 0; r < ROWS; r++) {
			at += row_part((unsigned)((r + at) * 5209 % ROWS), COLUMNS * m->id / m->n,
				COLUMNS * (m->id + 1) / m->n);
		}
#endif
	if (at)
		abort();
}

int main(void)
{
	matrix = zeroes((size_t)ROWS * STRIDE);
	team_run(work_threads(), part, NULL);
	return 0;
}
