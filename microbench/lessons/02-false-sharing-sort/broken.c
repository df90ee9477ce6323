/* The triple loop: arrays are sorted up and down again; each thread has its own arrays and its own
 * loop variables, which lie side by side. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAXTHR 250 /* not 256: loads wait for stores 4096 bytes away, as of arrays of 2^n bytes */
#define ARRAYS 64
#define SIZE 160
#define PAD 1 /* ints from the variable of one thread to that of the next */

static _Alignas(128) int aa[ARRAYS][SIZE];
/* volatile: without it the compiler keeps them in registers, and the experiment is gone */
static volatile int i[MAXTHR * PAD], j[MAXTHR * PAD], k[MAXTHR * PAD], n[MAXTHR * PAD],
	tmp[MAXTHR * PAD];
static int threads = 1, iters = 8;

static void swap(int *a, int t)
{
	tmp[t] = a[i[t]];
	a[i[t]] = a[j[t]];
	a[j[t]] = tmp[t];
	n[t]++;
}

static void sort(int *a, int t)
{
	for (k[t] = 0; k[t] < iters; k[t]++) {
		for (i[t] = 0; i[t] < SIZE - 1; i[t]++)
			for (j[t] = i[t] + 1; j[t] < SIZE; j[t]++)
				if (a[i[t]] > a[j[t]])
					swap(a, t);
		for (i[t] = 0; i[t] < SIZE - 1; i[t]++)
			for (j[t] = i[t] + 1; j[t] < SIZE; j[t]++)
				if (a[i[t]] < a[j[t]])
					swap(a, t);
	}
}

static void *run(void *arg)
{
	const int me = (int)(long)arg;

	for (int array = me; array < ARRAYS; array += threads)
		sort(aa[array], me * PAD);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAXTHR];
	long swaps = 0;

	if (argc > 1)
		threads = atoi(argv[1]);
	if (argc > 2)
		iters = atoi(argv[2]);
	if (threads < 1 || threads > MAXTHR)
		return 2;
	for (int x = 0; x < ARRAYS * SIZE; x++)
		aa[x / SIZE][x % SIZE] = x * 7919 % 1009;
	for (long x = 0; x < threads; x++)
		if (pthread_create(&t[x], NULL, run, (void *)x) != 0)
			return 1;
	for (long x = 0; x < threads; x++) {
		pthread_join(t[x], NULL);
		swaps += n[x * PAD];
	}
	printf("%ld\n", swaps);
	return 0;
}
