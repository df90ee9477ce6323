/* Counters of two threads in one array, on the stack of the function that makes the threads. */
#include <pthread.h>
#include <stdio.h>

#define TIMES 20000

static void *count(void *arg)
{
	volatile long *const own = arg;

	for (int i = 0; i < TIMES; i++)
		(*own)++;
	return NULL;
}

__attribute__((noinline)) static long serve(void)
{
	long words[8] __attribute__((aligned(64))) = {0};
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, count, &words[i]))
			return 0;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return words[0] + words[1];
}

int main(void)
{
	printf("%ld\n", serve());
	return 0;
}
