/* The volatile sum: every thread adds the squares of its share of the data into its own element. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 256
#define DATA 4096

/* volatile: without it the compiler keeps the sum in a register, and the experiment is gone */
static struct {
	_Alignas(128) volatile long value; /* a line, and the one that is prefetched with it */
} sum[MAX];
static int data[DATA];
static long rounds = 20000, threads = 1;

static void *add(void *arg)
{
	const long me = (long)arg;

	for (long r = me; r < rounds; r += threads)
		for (int i = 0; i < DATA; i++)
			sum[me].value += (long)data[i] * data[i];
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];
	long total = 0;

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		rounds = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (int i = 0; i < DATA; i++)
		data[i] = i & 7;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, add, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++) {
		pthread_join(t[i], NULL);
		total += sum[i].value;
	}
	printf("%ld\n", total);
	return 0;
}
