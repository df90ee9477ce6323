/* Particles as an array of structures: a step needs 16 of the 64 bytes of each line it reads. */
#include <stdio.h>
#include <stdlib.h>

struct particle {
	double x, vx, y, vy, z, vz, mass, charge;
};

static void step(struct particle *p, long n)
{
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		p[i].x += p[i].vx * 0.01;
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 2000000;
	const int steps = argc > 2 ? atoi(argv[2]) : 30;
	struct particle *const p = malloc((size_t)n * sizeof *p);

	if (!p)
		return 1;
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		p[i] = (struct particle){.vx = (double)i, .mass = 1};
	for (int s = 0; s < steps; s++)
		step(p, n);
	printf("%g\n", p[n / 2].x);
	free(p);
	return 0;
}
