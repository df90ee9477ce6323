/*
 * Programs of known switches, and traces of them.
 */
#ifndef SD_TEST_LIVE_TRACE_H
#define SD_TEST_LIVE_TRACE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "trace/trace.h"
#include "support/capture_child.h"
#include "support/others.h"

#define SELF "/proc/self/exe"

static _Thread_local volatile double sink;

static inline void burn(double seconds)
{
	struct timespec t;

	do {
		for (int i = 0; i < 10000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < seconds);
}

static inline void *burner(void *arg)
{
	burn(0.5);
	return arg;
}

static inline int two_threads(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, burner, NULL))
		return 1;
	burn(0.5);
	return pthread_join(other, NULL);
}

static inline int thousand_forks(void)
{
	for (int i = 0; i < 1000; i++) {
		const pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static inline int execs(void)
{
	char *const argv[] = {(char[]){"/bin/true"}, NULL};

	return execv(argv[0], argv);
}

/* Two processes hand a byte to and fro. */
static inline int ping_pong(void)
{
	int to[2], fro[2];
	char byte = 0;

	if (pipe(to) || pipe(fro))
		return 1;
	if (fork() == 0) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1 && write(fro[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	for (int i = 0; i < 20000; i++)
		if (write(to[1], &byte, 1) != 1 || read(fro[0], &byte, 1) != 1)
			return 1;
	return 0;
}

/* As that, with some work at each hop, and an end that is waited for. */
static inline int hand_over(void)
{
	int to[2], fro[2];
	char byte = 0;
	pid_t pid;

	if (pipe(to) || pipe(fro))
		return 1;
	pid = fork();
	if (pid == 0) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1 && write(fro[1], &byte, 1) == 1)
			for (int k = 0; k < 100000; k++)
				sink += k;
		_exit(0);
	}
	for (int i = 0; i < 2000; i++) {
		if (write(to[1], &byte, 1) != 1 || read(fro[0], &byte, 1) != 1)
			return 1;
		for (int k = 0; k < 100000; k++)
			sink += k;
	}
	close(to[1]);
	return waitpid(pid, NULL, 0) != pid;
}

#define TASKS 4096
#define TICKS 4096

struct seen {
	struct seen_task {
		int tid, on;
		uint64_t since;
	} task[TASKS];
	size_t n_task;
	uint64_t last, n[SD_EVENT_OPEN + 1];
	int backwards, root, exec_root;
	double ran, weight; /* s */
	uint64_t begun, shut_since;
	double shut;      /* s without switches; shut_since: 0 or when the present one began */
	double preempted; /* times, by the kernel's own books */
	double left;      /* a CPU, whether to wait or not, likewise */
	uint64_t named;   /* switches that say which stack they left from */
	uint64_t ticked;  /* the last sample's time, of the first CPU */
	unsigned first_cpu, n_after;
	uint64_t after[TICKS]; /* ns of samples of another CPU after a tick of that one */
	uint64_t with_stack, with_regs;
};

static inline struct seen_task *task_of(struct seen *s, int tid)
{
	for (size_t i = s->n_task; i-- > 0;)
		if (s->task[i].tid == tid)
			return &s->task[i];
	assert_true(s->n_task < TASKS);
	s->task[s->n_task] = (struct seen_task){.tid = tid};
	return &s->task[s->n_task++];
}

static inline void on(struct seen *s, int tid, uint64_t time)
{
	struct seen_task *const t = task_of(s, tid);

	if (!t->on)
		t->since = time;
	t->on = 1;
}

static inline void off(struct seen *s, int tid, uint64_t time)
{
	struct seen_task *const t = task_of(s, tid);

	if (t->on)
		s->ran += (double)(time - t->since) * 1e-9;
	t->on = 0;
}

static inline void ticks(struct seen *s, const struct sd_event *e)
{
	if (!s->ticked)
		s->first_cpu = e->cpu;
	if (e->cpu == s->first_cpu)
		s->ticked = e->time;
	else if (s->n_after < TICKS && e->weight)
		/* that CPU may have had nothing to do for many of its ticks */
		s->after[s->n_after++] = (e->time - s->ticked) % e->weight;
}

static inline int look(void *ctx, const struct sd_event *e)
{
	struct seen *const s = ctx;

	s->backwards |= e->time < s->last;
	s->last = e->time;
	s->n[e->kind]++;
	switch (e->kind) {
	case SD_EVENT_SAMPLE:
		ticks(s, e);
		s->weight += (double)e->weight * 1e-9;
		s->with_regs += e->regs.mask != 0;
		s->with_stack += e->stack_size != 0;
		break;
	case SD_EVENT_EXEC:
		s->exec_root += e->pid == s->root;
		if (e->pid == s->root && !s->begun)
			s->begun = e->time;
		if (e->pid == s->root)
			on(s, e->tid, e->time);
		break;
	case SD_EVENT_SWITCH_IN:
		on(s, e->tid, e->time);
		break;
	case SD_EVENT_SWITCH_OUT:
		s->with_stack += e->stack_size != 0;
		s->named += e->stack_id != 0;
		off(s, e->tid, e->time);
		break;
	case SD_EVENT_EXIT:
		off(s, e->tid, e->time);
		break;
	case SD_EVENT_SHUT:
		s->shut_since = e->time;
		break;
	case SD_EVENT_OPEN:
		s->shut += (double)(e->time - s->shut_since) * 1e-9;
		s->shut_since = 0;
		break;
	default:
		break;
	}
	return 0;
}

static inline double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* Runs a part under capture. The CPU time from the kernel's own books in *cpu_s. */
static inline struct seen watch_with(struct sd_trace_options options, const char *part,
	struct sd_trace_facts *facts, double *cpu_s)
{
	static struct seen s;
	char name[32];
	char *const argv[] = {(char[]){SELF}, name, NULL};
	struct sd_cpulist cpus = capture_cpus();
	struct capture_child child;
	struct sd_capture *c;
	struct rusage usage;
	int rc;

	snprintf(name, sizeof name, "%s", part);
	s = (struct seen){0};
	child = capture_fork(argv);
	options.pid = child.pid;
	options.cpus = &cpus;
	rc = sd_trace_open(&c, &options);
	sd_cpulist_free(&cpus);
	if (rc) {
		kill(child.pid, SIGKILL);
		close(child.gate);
		waitpid(child.pid, NULL, 0);
		print_message("SKIP: perf_event_open says %s\n", strerror(-rc));
		skip();
	}
	assert_int_equal(capture_run(&child, c, &usage), 0);
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	s.root = child.pid;
	assert_int_equal(sd_trace_replay(c, look, &s), 0);
	sd_trace_facts(c, facts);
	sd_trace_close(c);
	*cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
	s.preempted = (double)usage.ru_nivcsw;
	s.left = s.preempted + (double)usage.ru_nvcsw;
	assert_false(s.backwards);
	return s;
}

static inline struct seen watch(
	const char *part, struct sd_trace_facts *facts, double *cpu_s, const char *keep)
{
	return watch_with((struct sd_trace_options){.keep = keep}, part, facts, cpu_s);
}

/* Nothing was lost, unless others kept the reader from its CPU. */
static inline void expect_all(
	const struct sd_trace_facts *facts, const struct others *since, const char *test)
{
	if (facts->n_lost > 0)
		others_skip(since, test);
	assert_int_equal(facts->n_lost, 0);
}

/* Seconds that the host and interrupts took from this machine's CPUs since then: a thread is on its
 * CPU meanwhile, but that is not its CPU time, where the kernel has books of their own for them.
 * And two ticks: as coarse as it is. */
static inline double stolen(const struct others *since)
{
	const struct others now = others_now();

	return now.steal - since->steal + now.interrupts - since->interrupts + 0.02;
}

static inline int two_seconds(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return 1;
	burn(2);
	return 0;
}

static const struct part {
	const char *name;
	int (*run)(void);
} parts[] = {{"two_threads", two_threads}, {"thousand_forks", thousand_forks}, {"execs", execs},
	{"ping_pong", ping_pong}, {"hand_over", hand_over}, {"two_seconds", two_seconds}};

#endif
