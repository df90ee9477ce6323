/*
 * Programs of known waits: each is a function, which a child of the test runs.
 */
#ifndef SD_TEST_LIVE_PROGRAMS_H
#define SD_TEST_LIVE_PROGRAMS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Computes for so much CPU time of its own, so that a busy machine changes nothing. */
static inline void work(double s)
{
	const double end = now_s(CLOCK_THREAD_CPUTIME_ID) + s;

	while (now_s(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

static inline void *work_enter(void *s)
{
	work(*(double *)s);
	return NULL;
}

/* `mine` on the first thread beside `other` on a second one. */
static inline void both(double mine, double other)
{
	pthread_t t;

	pthread_create(&t, NULL, work_enter, &other);
	work(mine);
	pthread_join(t, NULL);
}

static inline void two_workers(double a, double b)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, work_enter, &a);
	pthread_create(&t[1], NULL, work_enter, &b);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static inline void serial(void)
{
	work(0.2);
}

static inline void serial_before_parallel(void)
{
	work(0.15);
	both(0.06, 0.06);
}

static inline void serial_behind_parallel(void)
{
	two_workers(0.06, 0.06);
	work(0.15);
}

static inline void serial_in_a_thread(void)
{
	double s = 0.2;
	pthread_t t;

	pthread_create(&t, NULL, work_enter, &s);
	pthread_join(t, NULL);
}

static inline void late_worker(void)
{
	two_workers(0.05, 0.2);
}

static inline void late_worker_beside_the_first(void)
{
	both(0.05, 0.2);
}

static inline void late_first(void)
{
	both(0.5, 0.2); /* long enough for a dozen samples of the parallel part */
}

static inline void late_process(void)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			work(i ? 0.2 : 0.05);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

/* libgomp without the compiler's help: what `#pragma omp parallel` calls. */
typedef void gomp_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);

static inline gomp_parallel *find_gomp(void)
{
	void *const lib = dlopen("libgomp.so.1", RTLD_NOW);
	gomp_parallel *f = NULL;

	if (lib)
		*(void **)&f = dlsym(lib, "GOMP_parallel");
	return f;
}

struct omp_part {
	pthread_t first;
	double mine, other;
};

static inline void omp_body(void *arg)
{
	const struct omp_part *const p = arg;

	work(pthread_equal(p->first, pthread_self()) ? p->mine : p->other);
}

static inline void omp_rounds(double serial_s, double mine, double other)
{
	gomp_parallel *const parallel = find_gomp();
	struct omp_part p = {.first = pthread_self(), .mine = mine, .other = other};

	for (int i = 0; i < 3; i++) {
		if (serial_s > 0)
			work(serial_s);
		parallel(omp_body, &p, 2, 0);
	}
}

static inline void omp_half_serial(void)
{
	omp_rounds(0.06, 0.03, 0.03);
}

static inline void omp_late_first(void)
{
	omp_rounds(0, 0.08, 0.02);
}

static inline void omp_late_worker(void)
{
	omp_rounds(0, 0.02, 0.08);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static inline void *locked(void *arg)
{
	for (int i = 0; i < 25; i++) {
		pthread_mutex_lock(&mutex);
		work(0.005);
		pthread_mutex_unlock(&mutex);
		/* lets the other one have it: the mutex itself is not fair */
		usleep(100);
	}
	return arg;
}

static inline void mutex_bound(void)
{
	pthread_t t;

	pthread_create(&t, NULL, locked, NULL);
	locked(NULL);
	pthread_join(t, NULL);
}

static inline void sleeps(void)
{
	usleep(200000);
}

static inline void waits_for_a_pipe(void)
{
	struct pollfd in = {.events = POLLIN};
	int p[2];

	if (pipe(p))
		exit(1);
	in.fd = p[0];
	poll(&in, 1, 200);
}

static inline void syncs_to_disk(void)
{
	const double end = now_s(CLOCK_MONOTONIC) + 0.3;
	char path[] = "sd-fsync-XXXXXX";
	const int fd = mkstemp(path);

	if (fd < 0)
		exit(1);
	unlink(path);
	while (now_s(CLOCK_MONOTONIC) < end)
		if (write(fd, "0123456789abcdef", 16) != 16 || fsync(fd))
			exit(1);
}

static inline void leaves_its_cpus(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 1024; i++)
		CPU_SET(i, &set);
	sched_setaffinity(0, sizeof set, &set);
	work(0.1);
}

/* On the first of the CPUs that it has. */
/* Its start, on all CPUs, is 1/200 of its time: an instrumented one takes long. */
static inline void keeps_to_one_cpu(void)
{
	cpu_set_t set;
	int first = 0;

	if (sched_getaffinity(0, sizeof set, &set))
		exit(1);
	while (!CPU_ISSET(first, &set))
		first++;
	CPU_ZERO(&set);
	CPU_SET(first, &set);
	sched_setaffinity(0, sizeof set, &set);
	work(fmax(0.2, 200 * now_s(CLOCK_PROCESS_CPUTIME_ID)));
}

/* Tells its number to whoever is to stop it, and works. */
#define STOPPER "SD_TEST_STOPPER"

static inline void is_stopped(void)
{
	const char *const fd = getenv(STOPPER);
	const pid_t pid = getpid();

	if (!fd || write(atoi(fd), &pid, sizeof pid) != (ssize_t)sizeof pid)
		exit(1);
	work(.2);
}

#define BOUND_WORK .15 /* s */

static inline void *work_on_one_cpu(void *cpus)
{
	sched_setaffinity(0, sizeof(cpu_set_t), cpus);
	work(BOUND_WORK);
	return NULL;
}

/* Two workers, each on one CPU of those that there are: on the same one, or each on its own. */
static inline void bound_workers(int apart)
{
	cpu_set_t all, one[2];
	pthread_t t[2];
	int cpu = -1;

	if (sched_getaffinity(0, sizeof all, &all))
		exit(1);
	for (int i = 0; i < 2; i++) {
		if (i == 0 || apart)
			for (cpu++; !CPU_ISSET(cpu, &all);)
				cpu++;
		CPU_ZERO(&one[i]);
		CPU_SET(cpu, &one[i]);
		pthread_create(&t[i], NULL, work_on_one_cpu, &one[i]);
	}
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static inline void bound_to_one(void)
{
	bound_workers(0);
}

static inline void bound_apart(void)
{
	bound_workers(1);
}

static inline void many_short_processes(void)
{
	for (int i = 0; i < 60; i++) {
		if (fork() == 0) {
			work(0.003);
			_exit(0);
		}
		wait(NULL);
	}
}

struct program {
	const char *name;
	void (*run)(void);
};

#define PROGRAM(p)    \
	{             \
#p, p \
	}

static const struct program programs[] = {PROGRAM(serial), PROGRAM(serial_before_parallel),
	PROGRAM(serial_behind_parallel), PROGRAM(serial_in_a_thread), PROGRAM(late_worker),
	PROGRAM(late_worker_beside_the_first), PROGRAM(late_first), PROGRAM(late_process),
	PROGRAM(omp_half_serial), PROGRAM(omp_late_first), PROGRAM(omp_late_worker),
	PROGRAM(mutex_bound), PROGRAM(sleeps), PROGRAM(waits_for_a_pipe), PROGRAM(syncs_to_disk),
	PROGRAM(leaves_its_cpus), PROGRAM(keeps_to_one_cpu), PROGRAM(is_stopped),
	PROGRAM(bound_to_one), PROGRAM(bound_apart), PROGRAM(many_short_processes)};

#endif
