/* A bank: every booking goes through an account's history, and each account has its mutex. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 256
#define ACCOUNTS 64
#define HISTORY 4096
#define SHARDS ACCOUNTS /* mutexes */

static struct {
	_Alignas(128) pthread_mutex_t mutex;
} shard[SHARDS];
static double history[ACCOUNTS][HISTORY]; /* the first one counts the others */
static long bookings = 60000, threads = 1;

static double interest(const double *h)
{
	double sum = 0;

	for (int i = 0; i < HISTORY; i++)
		sum = sum * 0.999 + h[i];
	return sum;
}

static void book(long b)
{
	const long account = b * 7919 % ACCOUNTS;
	pthread_mutex_t *const m = &shard[account % SHARDS].mutex;

	pthread_mutex_lock(m);
	const double n = history[account][0];
	history[account][1 + (long)n % (HISTORY - 1)] = 1e-6 * interest(history[account]) + 1;
	history[account][0] = n + 1;
	pthread_mutex_unlock(m);
}

static void *run(void *arg)
{
	for (long b = (long)arg; b < bookings; b += threads)
		book(b);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];
	double booked = 0;

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		bookings = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_init(&shard[i].mutex, NULL);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < ACCOUNTS; i++)
		booked += history[i][0];
	printf("%.0f bookings\n", booked);
	return 0;
}
