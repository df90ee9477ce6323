/* Threads that add to one counter under a mutex, with a few words of its own in the section, and
 * then all together to another without any. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define TIMES 3000

static pthread_mutex_t mutex __attribute__((aligned(64))) = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier __attribute__((aligned(64)));
volatile long guarded[8] __attribute__((aligned(64)));
volatile long unguarded[8] __attribute__((aligned(64)));

static void *add(void *arg)
{
	(void)arg;
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&mutex);
		guarded[1]++;
		pthread_mutex_unlock(&mutex);
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 120 * TIMES; i++) /* so long that they meet on a busy host, too */
		unguarded[2]++;
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, add, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", guarded[1]);
	return 0;
}
