/*
 * An exchange sort whose loop variables are volatile and one a thread: where they lie is all that
 * the two programs differ in. Each has its own VAR(name), the variable of thread `tid`.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "team.h"

#define MAXTHR 4
#define SIZE 64

static int numbers[MAXTHR][SIZE + 32]; /* rows apart, so that only the variables may be shared */

static void exchange(int *a, unsigned tid, long rounds)
{
	for (VAR(turn) = 0; VAR(turn) < rounds; VAR(turn)++)
		for (VAR(low) = 0; VAR(low) < SIZE - 1; VAR(low)++)
			for (VAR(high) = VAR(low) + 1; VAR(high) < SIZE; VAR(high)++) {
				if ((a[VAR(low)] > a[VAR(high)]) != (VAR(turn) & 1))
					continue;
				VAR(held) = a[VAR(low)];
				a[VAR(low)] = a[VAR(high)];
				a[VAR(high)] = VAR(held);
			}
}

static void sort(const struct team_member *m)
{
	int *const a = numbers[m->id % MAXTHR];

	for (int i = 0; i < SIZE; i++)
		a[i] = i * 37 % SIZE;
	exchange(a, m->id % MAXTHR, *(const long *)m->arg / m->n);
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 400;
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	team_run(n < MAXTHR ? n : MAXTHR, sort, &rounds);
	return 0;
}

#endif
