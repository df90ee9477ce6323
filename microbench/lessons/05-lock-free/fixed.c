/* A histogram of 4096 bins that all threads fill: each increment is one atomic operation. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 256
#define BINS 4096

static atomic_long bin[BINS];
static long samples = 4000000, threads = 1;

static void count(unsigned b)
{
	atomic_fetch_add_explicit(&bin[b], 1, memory_order_relaxed);
}

static void *run(void *arg)
{
	for (long i = (long)arg; i < samples; i += threads) {
		unsigned x = (unsigned)i * 2654435761u;

		for (int step = 0; step < 64; step++) /* the work that makes a sample */
			x = (x ^ x >> 15) * 2246822519u;
		count(x % BINS);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];
	long total = 0;

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		samples = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < BINS; i++)
		total += bin[i];
	printf("%ld\n", total);
	return 0;
}
