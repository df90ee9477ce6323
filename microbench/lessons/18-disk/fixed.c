/* Records are computed by all threads and written to a file, which is synced once, at the end. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX 256
#define SYNC_EVERY 1000000

static int fd;
static long records = 400, threads = 1;

static double compute(long i)
{
	double x = (double)i;

	for (int k = 0; k < 30000; k++)
		x = sqrt(x + k);
	return x;
}

static void *run(void *arg)
{
	long n = 0;

	for (long i = (long)arg; i < records; i += threads) {
		const double x = compute(i);

		if (pwrite(fd, &x, sizeof x, i * (long)sizeof x) != (ssize_t)sizeof x)
			return arg;
		if (++n % SYNC_EVERY == 0)
			fsync(fd);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char name[] = "/var/tmp/lesson-XXXXXX"; /* /tmp is often no disk */
	pthread_t t[MAX];
	double x, sum = 0;

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		records = atol(argv[2]);
	fd = mkstemp(name);
	if (threads < 1 || threads > MAX || fd < 0)
		return 2;
	unlink(name);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	fsync(fd);
	for (long i = 0; i < records; i++)
		if (pread(fd, &x, sizeof x, i * (long)sizeof x) == (ssize_t)sizeof x)
			sum += x;
	printf("%ld records of %g in all\n", records, sum);
	return 0;
}
