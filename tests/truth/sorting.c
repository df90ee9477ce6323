/* Each member sorts its rows, with the loops' variables by member. */
#include "team.h"
#include "work.h"

#define SIZE 600
#define ROWS (500 / SMALLER)

#ifdef FIXED
#define PER_MEMBER _Alignas(128)
#else
#define PER_MEMBER
#endif
struct loop {
	PER_MEMBER volatile int i, j, swaps;
};
static struct loop loop[TEAM_MAX];

static void sort_row(int *a, struct loop *l)
{
	for (l->i = 0; l->i < SIZE - 1; l->i++)
		for (l->j = l->i + 1; l->j < SIZE; l->j++)
			if (a[l->i] > a[l->j]) {
				const int t = a[l->i];

				a[l->i] = a[l->j];
				a[l->j] = t;
				l->swaps++;
			}
}

static void part(const struct team_member *m)
{
	int row[SIZE];

	for (unsigned r = m->id; r < ROWS; r += m->n) {
		uint32_t x = r;

		for (int i = 0; i < SIZE; i++)
			row[i] = (int)((x = x * 1664525 + 1013904223) >> 8);
		sort_row(row, &loop[m->id]);
	}
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
