/* The main thread and N - 1 more add to one counter; "helper" makes a thread between them that only
 * sleeps, as a logger, a timer or a runtime's monitor does. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 64

static _Alignas(64) atomic_long counter;
static long rounds;

static void *add(void *arg)
{
	(void)arg;
	for (long i = 0; i < rounds; i++)
		atomic_fetch_add(&counter, 1);
	return NULL;
}

static _Noreturn void *sleep_on(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t helper, worker[MOST];

	if (n < 1 || n > MOST)
		return 2;
	rounds = (argc > 2 ? atol(argv[2]) : 10000) / n;
	if (argc > 3 && strcmp(argv[3], "helper") == 0)
		pthread_create(&helper, NULL, sleep_on, NULL);
	for (int i = 1; i < n; i++)
		pthread_create(&worker[i], NULL, add, NULL);
	add(NULL);
	for (int i = 1; i < n; i++)
		pthread_join(worker[i], NULL);
	return 0;
}
