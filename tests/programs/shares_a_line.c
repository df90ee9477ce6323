/*
 * Threads that add to neighbouring words: as many additions whatever the number of threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ADDITIONS 60000000L
#define MOST 64

static _Alignas(128) volatile long word[MOST];
static long each;

static void *add(void *arg)
{
	volatile long *w = arg;

	for (long i = 0; i < each; i++)
		*w += 1;
	return NULL;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) <= MOST ? atoi(argv[1]) : 1;
	pthread_t thread[MOST];
	long sum = 0;

	each = ADDITIONS / n;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, add, (void *)&word[i]))
			return 1;
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		sum += word[i];
	}
	printf("%ld\n", sum);
	return 0;
}
