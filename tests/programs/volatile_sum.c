/* Sums of parts of an array by threads, each into its own place of one array, in memory at every
 * step (the first example of Levinthal's paper). "padded": each place has a line of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define SIZE 60000

static int data[SIZE];
int volatile sums[THREADS * 16] __attribute__((aligned(64)));
static int stride = 1;

static int sum(const int *d, volatile int *s, int size, int tid)
{
	for (int i = 0; i < size; i++)
		s[tid * stride] += d[i];
	return s[tid * stride];
}

static void *part(void *arg)
{
	sum(data, sums, SIZE, *(int *)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	int tid[THREADS];
	pthread_t t[THREADS];

	if (argc > 1 && strcmp(argv[1], "padded") == 0)
		stride = 16;
	for (int i = 0; i < SIZE; i++)
		data[i] = i & 7;
	for (int i = 0; i < THREADS; i++) {
		tid[i] = i;
		if (pthread_create(&t[i], NULL, part, &tid[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", sums[0]);
	return 0;
}
