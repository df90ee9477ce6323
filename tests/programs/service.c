/*
 * A service that serves itself, until it is told to end (SIGTERM): threads that take one request
 * after another, each of about 50 us, a share of it below one mutex.
 *
 *   service FILE THREADS SHARE [RATE]    SHARE .3: so much of a request below the mutex; RATE 2000:
 *                                        so many requests come in a second, and no more (open loop)
 *   service FILE THREADS memory          a request reads a part of a table that no cache holds
 *   service FILE                         prints how many requests have been served
 *
 * FILE holds what each thread has served: a counter a cache line, mapped by both. It reports its
 * requests by scalediag.h as well, and how long each takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../../include/markers/scalediag.h"
#include "work.h"

#define REQUEST 5e-5
#define MOST 64
#define TABLE (48u << 20) /* bytes, of each thread */
#define PART (256u << 10) /* that a request reads */

struct counter {
	_Alignas(128) unsigned long served;
};

static struct {
	struct counter *counter;
	pthread_mutex_t mutex;
	double share, rate;
	unsigned threads;
	int memory;
	volatile sig_atomic_t end;
} service = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void end(int signal_number)
{
	(void)signal_number;
	service.end = 1;
}

/* When the next request of this thread comes. */
static void await_request(struct timespec *due)
{
	const double gap = service.threads / service.rate * 1e9;

	due->tv_nsec += (long)gap % 1000000000;
	due->tv_sec += (long)gap / 1000000000 + due->tv_nsec / 1000000000;
	due->tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL);
}

static void guarded_part(void)
{
	pthread_mutex_lock(&service.mutex);
	work(service.share * REQUEST);
	pthread_mutex_unlock(&service.mutex);
}

/* The bytes are different in each line: none is taken for another. */
static unsigned char *make_table(void)
{
	unsigned char *const table = malloc(TABLE);

	for (size_t i = 0; table && i < TABLE; i += 64)
		table[i] = (unsigned char)(i >> 6);
	return table;
}

static unsigned long read_part(const unsigned char *table, unsigned long request)
{
	const unsigned char *const part = table + request % (TABLE / PART) * PART;
	unsigned long sum = 0;

	for (size_t i = 0; i < PART; i += 64)
		sum += part[i];
	return sum;
}

static void answer(const unsigned char *table, unsigned long request)
{
	if (table) {
		const unsigned long sum = read_part(table, request);

		__asm__ volatile("" : : "r"(sum));
		return;
	}
	if (service.share > 0)
		guarded_part();
	work((1 - service.share) * REQUEST);
}

static void *serve(void *arg)
{
	unsigned char *const table = service.memory ? make_table() : NULL;
	struct counter *const own = arg;
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	while (!service.end) {
		if (service.rate > 0)
			await_request(&due);
		sd_region_begin("request");
		answer(table, own->served);
		sd_region_end("request");
		__atomic_fetch_add(&own->served, 1, __ATOMIC_RELAXED);
		sd_progress("requests", 1);
	}
	free(table);
	return NULL;
}

static struct counter *map(const char *path, int create)
{
	const int fd = open(path, create ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0600);
	void *at;

	if (fd < 0 || (create && ftruncate(fd, MOST * sizeof(struct counter))))
		return NULL;
	at = mmap(NULL, MOST * sizeof(struct counter), create ? PROT_READ | PROT_WRITE : PROT_READ,
		MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static int print(const char *path)
{
	const struct counter *const c = map(path, 0);
	unsigned long all = 0;

	for (int i = 0; c && i < MOST; i++)
		all += __atomic_load_n(&c[i].served, __ATOMIC_RELAXED);
	return c && printf("served %lu\n", all) > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	pthread_t thread[MOST];

	if (argc == 2)
		return print(argv[1]);
	if (argc < 4)
		return 2;
	service.threads = (unsigned)strtoul(argv[2], NULL, 10);
	service.memory = strcmp(argv[3], "memory") == 0;
	service.share = strtod(argv[3], NULL);
	service.rate = argc > 4 ? strtod(argv[4], NULL) : 0;
	service.counter = map(argv[1], 1);
	if (!service.counter || service.threads < 1 || service.threads > MOST)
		return 2;
	/* as one that has given root up */
	if (geteuid() == 0)
		prctl(PR_SET_DUMPABLE, 0);
	signal(SIGTERM, end);
	for (unsigned i = 0; i < service.threads; i++)
		if (pthread_create(&thread[i], NULL, serve, &service.counter[i]))
			return 1;
	for (unsigned i = 0; i < service.threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
