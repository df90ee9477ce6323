/* Messages are allocated and freed by all threads from the one arena of the heap. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 256
#define ARENAS 1 /* as MALLOC_ARENA_MAX=1, which many containers set to save memory */
#define KEPT 8
#define SIZE 2048 /* bytes: more than what glibc keeps for each thread apart */

static long messages = 3000000, threads = 1;

static void *run(void *arg)
{
	char *kept[KEPT] = {0};

	for (long i = (long)arg; i < messages; i += threads) {
		char **const slot = &kept[i / threads % KEPT];

		free(*slot);
		*slot = malloc(SIZE + (size_t)(i % 7) * 64);
		if (!*slot)
			return arg;
		memset(*slot, 1, 64);
	}
	for (int i = 0; i < KEPT; i++)
		free(kept[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		messages = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	mallopt(M_ARENA_MAX, ARENAS);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%ld messages\n", messages);
	return 0;
}
