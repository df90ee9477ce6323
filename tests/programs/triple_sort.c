/* Threads that sort an array each, with all loop variables in shared arrays (the second example of
 * Levinthal's paper, MAXTHR 4, with fewer iterations). "padded": an element a line. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MAXTHR 4
#define ITERS 8
#define SIZE 60
#define LINE 16

int aa[MAXTHR][SIZE + 4] __attribute__((aligned(64)));
volatile int i[MAXTHR * LINE], j[MAXTHR * LINE], k[MAXTHR * LINE], n[MAXTHR * LINE],
	tmp[MAXTHR * LINE];
static int stride = 1;

static int sort(int *a, int size, int thread)
{
	const int tid = thread * stride;

	n[tid] = 0;
	for (k[tid] = 0; k[tid] < ITERS / 2; k[tid]++)
		for (i[tid] = 0; i[tid] < size - 1; i[tid]++)
			for (j[tid] = i[tid] + 1; j[tid] < size; j[tid]++)
				if (k[tid] & 1 ? a[i[tid]] < a[j[tid]] : a[i[tid]] > a[j[tid]]) {
					tmp[tid] = a[i[tid]];
					a[i[tid]] = a[j[tid]];
					a[j[tid]] = tmp[tid];
					n[tid]++;
				}
	return n[tid];
}

static void *run(void *arg)
{
	const int thread = *(int *)arg;

	for (int again = 0; again < 8; again++)
		sort(aa[thread], SIZE, thread);
	return NULL;
}

int main(int argc, char **argv)
{
	int tid[MAXTHR];
	pthread_t t[MAXTHR];

	if (argc > 1 && strcmp(argv[1], "padded") == 0)
		stride = LINE;
	for (int x = 0; x < MAXTHR * SIZE; x++)
		aa[x / SIZE][x % SIZE] = x * 7919 % 1009;
	for (int x = 0; x < MAXTHR; x++) {
		tid[x] = x;
		if (pthread_create(&t[x], NULL, run, &tid[x]))
			return 1;
	}
	for (int x = 0; x < MAXTHR; x++)
		pthread_join(t[x], NULL);
	printf("%d\n", n[0]);
	return 0;
}
