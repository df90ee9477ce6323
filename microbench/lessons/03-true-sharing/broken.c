/* Points in a circle: every hit is counted in one variable that all threads share. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 256
#define PARTS 1024

static atomic_long hits;
static long points = 12000000, threads = 1;

static void part(unsigned seed)
{
	unsigned s = seed * 2654435761u + 1;

	for (long i = 0; i < points / PARTS; i++) {
		const unsigned x = (s = s * 1664525u + 1013904223u) >> 16;
		const unsigned y = (s = s * 1664525u + 1013904223u) >> 16;

		if ((unsigned long)x * x + (unsigned long)y * y < 1ul << 32)
			atomic_fetch_add(&hits, 1);
	}
}

static void *run(void *arg)
{
	for (long p = (long)arg; p < PARTS; p += threads)
		part((unsigned)p);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		points = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", atomic_load(&hits));
	return 0;
}
