/* Products of matrices that fit into a core's own cache, each member with its own. */
#include "team.h"
#include "work.h"

#define SIZE 96
#define PRODUCTS 2000u

struct matrices {
	double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];
};

static void part(const struct team_member *m)
{
	struct matrices *const x = calloc(1, sizeof *x);

	if (!x)
		abort();
	for (int i = 0; i < SIZE; i++)
		x->a[i][i] = x->b[i][i] = 1;
	for (unsigned p = m->id; p < PRODUCTS; p += m->n)
		for (int i = 0; i < SIZE; i++)
			for (int k = 0; k < SIZE; k++)
				for (int j = 0; j < SIZE; j++)
					x->c[i][j] += x->a[i][k] * x->b[k][j];
	if (x->c[0][0] < 0)
		abort();
	free(x);
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
