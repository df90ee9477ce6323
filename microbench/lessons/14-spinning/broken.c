/* Steps of a simulation: thread 0 prepares each one alone, the others spin until it has. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 256
#define STEPS 40

static atomic_long prepared, finished; /* steps; parts of all steps */
static long work = 400000, threads = 1;
static volatile double result; /* volatile: so that nothing is computed for nothing and left out */

static void compute(long amount)
{
	double x = 1;

	for (long i = 0; i < amount; i++)
		x = sqrt(x + (double)i);
	result = x;
}

static void wait_for(atomic_long *what, long value)
{
	while (atomic_load_explicit(what, memory_order_acquire) < value)
		;
}

static void prepare(long me, long step)
{
	if (me == 0) {
		compute(work);
		atomic_store(&prepared, step + 1);
	}
	wait_for(&prepared, step + 1);
}

static void *run(void *arg)
{
	for (long step = 0; step < STEPS; step++) {
		prepare((long)arg, step);
		compute(work / threads);
		atomic_fetch_add(&finished, 1);
		wait_for(&finished, (step + 1) * threads);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		work = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%d steps\n", STEPS);
	return 0;
}
