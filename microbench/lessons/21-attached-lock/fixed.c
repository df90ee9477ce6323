/* The service renders its pages outside of the lock: the table is only read and written below it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "scalediag.h"

#define MAX 256
#define SESSIONS 4096
#define PAGE 8192 /* steps that rendering it takes */

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static double session[SESSIONS];
static long threads = 1;

static double render(double x)
{
	for (int i = 0; i < PAGE; i++)
		x = x * 0.999 + i;
	return x;
}

/* A client waits for its answer before it asks again. */
static void answer(long client)
{
	double x;

	pthread_mutex_lock(&table);
	x = session[client];
	pthread_mutex_unlock(&table);
	x = render(x);
	pthread_mutex_lock(&table);
	session[client] = x;
	pthread_mutex_unlock(&table);
	sd_progress("requests", 1);
}

static void *serve(void *number)
{
	const long first = (long)number;

	for (long client = first;; client += threads) {
		if (client >= SESSIONS)
			client = first;
		answer(client);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id;

	if (argc > 1)
		threads = atol(argv[1]);
	for (long i = 0; i < threads && i < MAX; i++)
		if (pthread_create(&id, NULL, serve, (void *)i))
			return 1;
	pause(); /* SIGTERM ends it */
	return 0;
}
