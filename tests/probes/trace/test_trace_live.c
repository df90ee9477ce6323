/* The capture of real programs: this test's own program, started with the name of a part. */
#include "trace/trace.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/utsname.h>

#include "support/capture_child.h"
#include "support/others.h"

#define SELF "/proc/self/exe"

/* ---- the programs ---- */

static _Thread_local volatile double sink;

static void burn(double seconds)
{
	struct timespec t;

	do {
		for (int i = 0; i < 10000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < seconds);
}

static void *burner(void *arg)
{
	burn(0.5);
	return arg;
}

static int two_threads(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, burner, NULL))
		return 1;
	burn(0.5);
	return pthread_join(other, NULL);
}

static int thousand_forks(void)
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

static int execs(void)
{
	char *const argv[] = {(char[]){"/bin/true"}, NULL};

	return execv(argv[0], argv);
}

/* Two processes hand a byte to and fro. */
static int ping_pong(void)
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

/* ---- what is seen of them ---- */

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
	uint64_t ticked;  /* the last sample's time, of the first CPU */
	unsigned first_cpu, n_after;
	uint64_t after[TICKS]; /* ns of samples of another CPU after a tick of that one */
	uint64_t with_stack, with_regs;
};

static struct seen_task *task_of(struct seen *s, int tid)
{
	for (size_t i = s->n_task; i-- > 0;)
		if (s->task[i].tid == tid)
			return &s->task[i];
	assert_true(s->n_task < TASKS);
	s->task[s->n_task] = (struct seen_task){.tid = tid};
	return &s->task[s->n_task++];
}

static void on(struct seen *s, int tid, uint64_t time)
{
	struct seen_task *const t = task_of(s, tid);

	if (!t->on)
		t->since = time;
	t->on = 1;
}

static void off(struct seen *s, int tid, uint64_t time)
{
	struct seen_task *const t = task_of(s, tid);

	if (t->on)
		s->ran += (double)(time - t->since) * 1e-9;
	t->on = 0;
}

static void ticks(struct seen *s, const struct sd_event *e)
{
	if (!s->ticked)
		s->first_cpu = e->cpu;
	if (e->cpu == s->first_cpu)
		s->ticked = e->time;
	else if (s->n_after < TICKS && e->weight)
		/* that CPU may have had nothing to do for many of its ticks */
		s->after[s->n_after++] = (e->time - s->ticked) % e->weight;
}

static int look(void *ctx, const struct sd_event *e)
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

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* Runs a part under capture. The CPU time from the kernel's own books in *cpu_s. */
static struct seen watch(
	const char *part, struct sd_trace_facts *facts, double *cpu_s, const char *keep)
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
	rc = sd_trace_open(
		&c, &(struct sd_trace_options){.pid = child.pid, .cpus = &cpus, .keep = keep});
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
	assert_false(s.backwards);
	return s;
}

/* Nothing was lost, unless others kept the reader from its CPU. */
static void expect_all(
	const struct sd_trace_facts *facts, const struct others *since, const char *test)
{
	if (facts->n_lost > 0)
		others_skip(since, test);
	assert_int_equal(facts->n_lost, 0);
}

/* What the host took from this machine's CPUs since then, s: a thread is on its CPU meanwhile, but
 * that is not its CPU time. And two ticks: as coarse as it is. */
static double stolen(const struct others *since)
{
	return others_now().steal - since->steal + 0.02;
}

/* Within a share of b, or above by what was stolen. */
static void near(double a, double b, double share, double steal, const struct seen *s)
{
	if (a >= b * (1 - share) && a <= b * (1 + share) + steal)
		return;
	/* two threads on two CPUs are preempted a few times a second when nobody else
	 * wants those */
	if (s->preempted > 100 * b) {
		print_message("SKIP: others took the CPUs: preempted %.0f times\n", s->preempted);
		skip();
	}
	fail_msg("%g is not within %g %% of %g and %g stolen", a, share * 100, b, steal);
}

static void intervals_on_a_cpu_add_up_to_the_cpu_time(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("two_threads", &facts, &cpu_s, NULL);
	const double steal = stolen(&since);

	(void)state;
	expect_all(&facts, &since, __func__);
	assert_int_equal(s.n[SD_EVENT_FORK], 1);
	assert_int_equal(s.n[SD_EVENT_EXIT], 2);
	assert_int_equal(s.exec_root, 1);
	assert_true(s.n[SD_EVENT_MAP] >= 3);
	near(s.ran, cpu_s, 0.03, steal, &s);
	near(s.weight, cpu_s, 0.05, steal, &s);
}

static void every_fork_and_exit_is_seen(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("thousand_forks", &facts, &cpu_s, NULL);

	(void)state;
	expect_all(&facts, &since, __func__);
	assert_int_equal(s.n[SD_EVENT_FORK], 1000);
	assert_int_equal(s.n[SD_EVENT_EXIT], 1001);
}

/* Where whole CPUs may be looked at: each process lives for less than a period. */
static void the_time_of_short_processes_is_sampled(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("thousand_forks", &facts, &cpu_s, NULL);

	(void)state;
	if (geteuid() != 0 || facts.kernel != SD_STATUS_OK) {
		print_message("SKIP: not root: a clock of its own for each thread\n");
		skip();
	}
	/* about 150 samples; a process still works in the kernel after its exit was told */
	near(s.weight, cpu_s, 0.5, stolen(&since), &s);
}

static void a_second_exec_is_seen(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("execs", &facts, &cpu_s, NULL);

	(void)state;
	expect_all(&facts, &since, __func__);
	assert_int_equal(s.exec_root, 2);
	assert_int_equal(s.n[SD_EVENT_EXIT], 1);
}

/* Share of the time in which switches were recorded. */
static double watched(const struct seen *s)
{
	const double now = s->shut_since ? (double)(s->last - s->shut_since) * 1e-9 : 0;

	return 1 - (s->shut + now) / ((double)(s->last - s->begun) * 1e-9);
}

/* The hops are alike: half of them, at least, in half of the time, where it is known that only that
 * half was recorded. */
static void many_switches_are_recorded_or_left_out_in_known_times(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s;
	const struct others since = others_now();
	const struct seen s = watch("ping_pong", &facts, &cpu_s, NULL);

	(void)state;
	expect_all(&facts, &since, __func__);
	assert_true((double)s.n[SD_EVENT_SWITCH_OUT] > 20000 * watched(&s) / 2);
	assert_true(s.n[SD_EVENT_SWITCH_OUT] > 20000 || s.n[SD_EVENT_SHUT]);
	assert_int_equal(s.n[SD_EVENT_SWITCH_OUT], facts.n_switches);
}

/* Each hop is a write that wakes the other side. */
static void wakers_are_seen_where_tracepoints_are(void **state)
{
	struct sd_trace_facts facts;
	const struct others since = others_now();
	struct seen s;
	double cpu_s;

	(void)state;
	s = watch("ping_pong", &facts, &cpu_s, NULL);
	if (facts.wakes != SD_STATUS_OK) {
		print_message("SKIP: wake-ups are %s\n", sd_status_name(facts.wakes));
		skip();
	}
	expect_all(&facts, &since, __func__);
	assert_true((double)s.n[SD_EVENT_WAKE] > 10000 * watched(&s) / 2);
}

#define TICKS_HZ 4000

static int two_seconds(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return 1;
	burn(2);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Who meets a thread at a barrier waits while that one's sample is taken. Clocks that tick so soon
 * after each other would have only such samples of him. */
static void no_clock_ticks_while_another_cpu_takes_its_sample(void **state)
{
	struct sd_trace_facts facts;
	double cpu_s, period;
	uint64_t median;
	struct seen s = watch("two_threads", &facts, &cpu_s, NULL);

	(void)state;
	if (!facts.together || s.n_after < 50) {
		print_message("SKIP: clocks of threads, or no second CPU\n");
		skip();
	}
	qsort(s.after, s.n_after, sizeof *s.after, by_size);
	median = s.after[s.n_after / 2];
	period = 1e9 / facts.hz;
	/* either may be the first */
	assert_in_range(median, 50000, (uint64_t)period - 50000);
	assert_true((double)median < .3 * period || (double)median > .7 * period);
}

/* The ring is full long before the end, and nothing reads it until then: most of what was lost no
 * record had room to say. Of each tick there is a sample or a loss. */
static void what_a_full_ring_lost_at_the_end_is_counted(void **state)
{
	char *const argv[] = {(char[]){SELF}, (char[]){"two_seconds"}, NULL};
	struct sd_cpulist cpus = capture_cpus();
	struct capture_child child = capture_fork(argv);
	struct sd_trace_facts facts;
	struct sd_capture *c;
	struct utsname kernel;
	const struct others since = others_now();
	struct rusage usage;
	double cpu_s;
	const int rc = sd_trace_open(
		&c, &(struct sd_trace_options){.pid = child.pid, .cpus = &cpus, .hz = TICKS_HZ});

	(void)state;
	sd_cpulist_free(&cpus);
	assert_int_equal(capture_run(&child, NULL, &usage), 0);
	if (rc) {
		print_message("SKIP: perf_event_open says %s\n", strerror(-rc));
		skip();
	}
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	sd_trace_facts(c, &facts);
	sd_trace_close(c);
	assert_int_equal(uname(&kernel), 0);
	if (atoi(kernel.release) < 6) {
		print_message("SKIP: Linux %s does not say it\n", kernel.release);
		skip();
	}
	cpu_s = seconds(&usage.ru_utime) + seconds(&usage.ru_stime) - stolen(&since);
	assert_true((double)(facts.n_samples + facts.n_lost) > .8 * TICKS_HZ * cpu_s);
}

static const struct part {
	const char *name;
	int (*run)(void);
} parts[] = {{"two_threads", two_threads}, {"thousand_forks", thousand_forks}, {"execs", execs},
	{"ping_pong", ping_pong}, {"two_seconds", two_seconds}};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_on_a_cpu_add_up_to_the_cpu_time),
		cmocka_unit_test(every_fork_and_exit_is_seen),
		cmocka_unit_test(the_time_of_short_processes_is_sampled),
		cmocka_unit_test(no_clock_ticks_while_another_cpu_takes_its_sample),
		cmocka_unit_test(a_second_exec_is_seen),
		cmocka_unit_test(many_switches_are_recorded_or_left_out_in_known_times),
		cmocka_unit_test(wakers_are_seen_where_tracepoints_are),
		cmocka_unit_test(what_a_full_ring_lost_at_the_end_is_counted),
	};

	/* not by exit: there the address sanitizer makes a thread of its own, to look for leaks,
	 * and the parts are counted thread by thread */
	for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			_exit(parts[i].run());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
