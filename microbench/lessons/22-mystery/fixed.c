/* Documents are scored in parallel. The log is computed outside the mutex; documents are dealt out
 * one by one. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX 256
#define WORDS 20000

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static double best;
static volatile double last; /* volatile: so that the compiler does not leave it out */
static long documents = 600, threads = 1;

static double score(long document, long words)
{
	double s = 1;

	for (long w = 0; w < words; w++)
		s = sqrt(s + (double)(document ^ w));
	return s;
}

static void report(long document, double s)
{
	const double for_log = score(document, WORDS);

	pthread_mutex_lock(&log_mutex);
	last = for_log;
	if (s > best)
		best = s;
	pthread_mutex_unlock(&log_mutex);
}

static void *run(void *arg)
{
	const long me = (long)arg;

	for (long d = me; d < documents; d += threads)
		report(d, score(d, d * 4 < documents ? 3 * WORDS : WORDS));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		documents = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%g\n", best);
	return 0;
}
