/* A service that runs until it is told to end: its threads answer requests, one table has all
 * sessions. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scalediag.h"

#define MAX 256
#define SESSIONS 4096
#define PAGE 8192 /* steps that rendering it takes */

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static double session[SESSIONS];
static long threads = 1, requests; /* of a thread; 0: for ever */

static double render(double x)
{
	for (int i = 0; i < PAGE; i++)
		x = x * 0.999 + i;
	return x;
}

/* A client waits for its answer before it asks again. */
static void answer(long client)
{
	pthread_mutex_lock(&table);
	session[client] = render(session[client]);
	pthread_mutex_unlock(&table);
	sd_progress("requests", 1);
}

static void *serve(void *number)
{
	const long first = (long)number;

	for (long client = first, n = 0; !requests || n < requests; client += threads, n++) {
		if (client >= SESSIONS)
			client = first;
		answer(client);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[MAX];
	double sum = 0;

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		requests = atol(argv[2]);
	for (long i = 0; i < threads && i < MAX; i++)
		if (pthread_create(&id[i], NULL, serve, (void *)i))
			return 1;
	if (!requests)
		pause(); /* SIGTERM ends it */
	for (long i = 0; i < threads && i < MAX; i++)
		pthread_join(id[i], NULL);
	for (long i = 0; i < SESSIONS; i++)
		sum += session[i];
	printf("%.10g\n", sum);
	return 0;
}
