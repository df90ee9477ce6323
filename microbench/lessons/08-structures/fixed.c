/* Particles as a structure of arrays: a step uses every byte of each line it reads. */
#include <stdio.h>
#include <stdlib.h>

struct particles {
	double *x, *vx, *y, *vy, *z, *vz, *mass, *charge;
};

static void step(struct particles p, long n)
{
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		p.x[i] += p.vx[i] * 0.01;
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 2000000;
	const int steps = argc > 2 ? atoi(argv[2]) : 30;
	double *const all = malloc((size_t)n * 8 * sizeof *all);

	if (!all)
		return 1;
	const struct particles p = {all, all + n, all + 2 * n, all + 3 * n, all + 4 * n,
		all + 5 * n, all + 6 * n, all + 7 * n};
#pragma omp parallel for
	for (long i = 0; i < n; i++) {
		p.x[i] = p.y[i] = p.vy[i] = p.z[i] = p.vz[i] = p.charge[i] = 0;
		p.vx[i] = (double)i;
		p.mass[i] = 1;
	}
	for (int s = 0; s < steps; s++)
		step(p, n);
	printf("%g\n", p.x[n / 2]);
	free(all);
	return 0;
}
