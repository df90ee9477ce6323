/* The masses of particles summed by processes, over and over. */
#include "crew.h"
#include "work.h"

#define PARTICLES (6u << 20)
#define PASSES 24

struct particle {
	double mass;
#ifndef FIXED
	double position[3], velocity[3], charge;
#endif
};
static struct particle *particle;

static void part(unsigned id, unsigned n)
{
	const unsigned from = PARTICLES / n * id, to = PARTICLES / n * (id + 1);
	volatile double all = 0;

	for (unsigned i = from; i < to; i++)
		particle[i].mass = 1; /* or it would be read from the kernel's page of zeroes */
	for (int p = 0; p < PASSES; p++) {
		double sum = 0;

		for (unsigned i = from; i < to; i++)
			sum += particle[i].mass;
		all += sum;
	}
}

int main(void)
{
	particle = crew_memory(PARTICLES * sizeof *particle);
	crew_processes(work_threads(), part);
	return 0;
}
