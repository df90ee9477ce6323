/*
 * The probes on real programs of known behaviour: this binary runs itself again as each of them,
 * below a subreaper, as the launcher does. What is asserted holds on a busy machine as well: which
 * class of idle time is the largest of those that the program can cause.
 */
#include "probes/probes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/others.h"
#include "probe/accountant.h"
#include "threads/thread_sampler.h"

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the programs ---- */

/* Computes for so much CPU time of its own, so that a busy machine changes nothing. */
static void work(double s)
{
	const double end = now_s(CLOCK_THREAD_CPUTIME_ID) + s;

	while (now_s(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

static void *work_enter(void *s)
{
	work(*(double *)s);
	return NULL;
}

/* `mine` on the first thread beside `other` on a second one. */
static void both(double mine, double other)
{
	pthread_t t;

	pthread_create(&t, NULL, work_enter, &other);
	work(mine);
	pthread_join(t, NULL);
}

static void two_workers(double a, double b)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, work_enter, &a);
	pthread_create(&t[1], NULL, work_enter, &b);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static void serial(void)
{
	work(0.2);
}

static void serial_before_parallel(void)
{
	work(0.15);
	both(0.06, 0.06);
}

static void serial_behind_parallel(void)
{
	two_workers(0.06, 0.06);
	work(0.15);
}

static void serial_in_a_thread(void)
{
	double s = 0.2;
	pthread_t t;

	pthread_create(&t, NULL, work_enter, &s);
	pthread_join(t, NULL);
}

static void late_worker(void)
{
	two_workers(0.05, 0.2);
}

static void late_worker_beside_the_first(void)
{
	both(0.05, 0.2);
}

static void late_first(void)
{
	both(0.5, 0.2); /* long enough for a dozen samples of the parallel part */
}

static void late_process(void)
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

static gomp_parallel *find_gomp(void)
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

static void omp_body(void *arg)
{
	const struct omp_part *const p = arg;

	work(pthread_equal(p->first, pthread_self()) ? p->mine : p->other);
}

static void omp_rounds(double serial_s, double mine, double other)
{
	gomp_parallel *const parallel = find_gomp();
	struct omp_part p = {.first = pthread_self(), .mine = mine, .other = other};

	for (int i = 0; i < 3; i++) {
		if (serial_s > 0)
			work(serial_s);
		parallel(omp_body, &p, 2, 0);
	}
}

static void omp_half_serial(void)
{
	omp_rounds(0.06, 0.03, 0.03);
}

static void omp_late_first(void)
{
	omp_rounds(0, 0.08, 0.02);
}

static void omp_late_worker(void)
{
	omp_rounds(0, 0.02, 0.08);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locked(void *arg)
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

static void mutex_bound(void)
{
	pthread_t t;

	pthread_create(&t, NULL, locked, NULL);
	locked(NULL);
	pthread_join(t, NULL);
}

static void sleeps(void)
{
	usleep(200000);
}

static void waits_for_a_pipe(void)
{
	struct pollfd in = {.events = POLLIN};
	int p[2];

	if (pipe(p))
		exit(1);
	in.fd = p[0];
	poll(&in, 1, 200);
}

static void syncs_to_disk(void)
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

static void leaves_its_cpus(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < 1024; i++)
		CPU_SET(i, &set);
	sched_setaffinity(0, sizeof set, &set);
	work(0.1);
}

static void many_short_processes(void)
{
	for (int i = 0; i < 60; i++) {
		if (fork() == 0) {
			work(0.003);
			_exit(0);
		}
		wait(NULL);
	}
}

/* ---- the run ---- */

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
	PROGRAM(leaves_its_cpus), PROGRAM(many_short_processes)};

/* The subreaper: starts the program, which waits for `go` to close; says its number; stays. */
static void keep(const char *name, int go, int up)
{
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		char c;

		while (read(go, &c, 1) > 0)
			;
		close(up);
		close(go);
		execl("/proc/self/exe", "program", name, (char *)NULL);
		_exit(127);
	}
	if (write(up, &pid, sizeof pid) != (ssize_t)sizeof pid)
		_exit(1);
	while (waitpid(-1, NULL, 0) > 0)
		;
	_exit(0);
}

struct session {
	const struct sd_probe *const *probe;
	void *state[16]; /* more than there are probes */
	int error[16];
};

static void tick_until_over(struct session *s, int up)
{
	struct pollfd over = {.fd = up, .events = POLLIN};
	uint64_t delay = 0;

	for (;;) {
		const struct timespec t = {.tv_nsec = (long)delay};
		uint64_t now;

		if (ppoll(&over, 1, &t, NULL) > 0)
			return;
		now = (uint64_t)(now_s(CLOCK_MONOTONIC) * 1e9);
		delay = 100000000;
		for (size_t i = 0; s->probe[i]; i++)
			if (!s->error[i] && s->probe[i]->tick) {
				const uint64_t wish = s->probe[i]->tick(s->state[i], now);

				delay = wish < delay ? wish : delay;
			}
	}
}

/* Runs one of the programs above on two cores and fills *run. */
static void run_program(const char *name, const struct sd_cpulist *cpus, struct sd_run *run)
{
	struct session s = {.probe = sd_probe_registry};
	struct sd_probe_target target = {
		.cpus = cpus, .cores = 2, .accountant = &sd_accountant_rules, .root = ""};
	int go[2], up[2];
	double start;

	assert_true(pipe2(go, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0);
	fflush(NULL);
	target.subreaper = fork();
	if (target.subreaper == 0) {
		close(go[1]);
		keep(name, go[0], up[1]);
	}
	close(go[0]);
	close(up[1]);
	assert_int_equal(read(up[0], &target.pid, sizeof target.pid), sizeof target.pid);
	for (size_t i = 0; s.probe[i]; i++) {
		assert_true(i < sizeof s.error / sizeof *s.error);
		s.error[i] = s.probe[i]->open(&s.state[i], &target);
	}
	for (size_t i = 0; s.probe[i]; i++)
		if (!s.error[i] && s.probe[i]->start)
			s.probe[i]->start(s.state[i]);
	start = now_s(CLOCK_MONOTONIC);
	close(go[1]);
	tick_until_over(&s, up[0]);
	run->metric[SD_METRIC_WALL] = SD_OK(now_s(CLOCK_MONOTONIC) - start);
	close(up[0]);
	waitpid(target.subreaper, NULL, 0);
	for (size_t i = 0; s.probe[i]; i++) {
		/* no table of stacks was given: no samples, and the poller stands alone */
		if (s.error[i] == -ENODATA)
			continue;
		assert_int_equal(s.error[i], 0);
		s.probe[i]->stop(s.state[i], run);
		s.probe[i]->close(s.state[i]);
	}
}

/* The two lowest CPUs of this process; 0 when there is only one. */
static int two_cpus(unsigned cpu[2])
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof set, &set))
		return 0;
	for (unsigned i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	return n == 2;
}

static void print_idle(const char *name, const struct sd_run *run)
{
	fprintf(stderr, "%s:", name);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (run->idle[i].value > 0)
			fprintf(stderr, " %s %.3f", sd_idle_name[i], run->idle[i].value);
	fprintf(stderr, "\n");
}

/* Runs it and checks what the largest idle class is, leaving out what other processes on the
 * machine cause: waiting for a CPU. */
static void expect_mostly(const char *name, enum sd_idle idle)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	const struct others since = others_now();
	struct sd_run run = {0};
	double sum = 0;

	if (!two_cpus(cpu)) {
		fprintf(stderr, "SKIP: %s: needs two CPUs\n", name);
		skip();
	}
	run_program(name, &cpus, &run);
	for (int i = 0; i < SD_IDLE_COUNT; i++) {
		assert_true(sd_has(run.idle[i]));
		if (i != SD_IDLE_RUNNABLE)
			sum += run.idle[i].value;
	}
	if (!(run.idle[idle].value > 0.6 * sum)) {
		const double runnable = run.idle[SD_IDLE_RUNNABLE].value;

		print_idle(name, &run);
		sd_run_free(&run);
		/* who waits for whom depends on who is given a CPU first */
		if (runnable > 0.1 * sum) {
			fprintf(stderr, "SKIP: %s: others took its CPUs for %.2f s\n", name,
				runnable);
			skip();
		}
		others_skip(&since, name);
		fail_msg("%s: not mostly %s", name, sd_idle_name[idle]);
	}
	sd_run_free(&run);
}

static void one_runner_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial", SD_IDLE_SERIAL);
}

static void serial_code_before_a_parallel_part_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial_before_parallel", SD_IDLE_SERIAL);
}

static void serial_code_behind_a_parallel_part_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial_behind_parallel", SD_IDLE_SERIAL);
}

static void serial_code_in_a_thread_of_its_own_is_serial(void **state)
{
	(void)state;
	expect_mostly("serial_in_a_thread", SD_IDLE_SERIAL);
}

static void a_late_worker_is_imbalance(void **state)
{
	(void)state;
	expect_mostly("late_worker", SD_IDLE_IMBALANCE);
	expect_mostly("late_worker_beside_the_first", SD_IDLE_IMBALANCE);
}

/* The same calls as serial code behind a parallel part, with the work put elsewhere. */
static void a_late_first_thread_is_known_by_its_code(void **state)
{
	struct sd_thread_sampler sampler;
	const int rc = sd_thread_sampler_open(&sampler, getpid());

	(void)state;
	sd_thread_sampler_close(&sampler);
	if (rc) {
		fprintf(stderr, "SKIP: a_late_first_thread_is_known_by_its_code: no samples: %s\n",
			strerror(-rc));
		skip();
	}
	expect_mostly("late_first", SD_IDLE_IMBALANCE);
}

static void a_late_process_is_imbalance(void **state)
{
	(void)state;
	expect_mostly("late_process", SD_IDLE_IMBALANCE);
}

static void openmp_is_told_apart_by_where_its_workers_wait(void **state)
{
	(void)state;
	if (!find_gomp()) {
		fprintf(stderr, "SKIP: openmp_is_told_apart: no libgomp.so.1\n");
		skip();
	}
	expect_mostly("omp_half_serial", SD_IDLE_SERIAL);
	expect_mostly("omp_late_first", SD_IDLE_IMBALANCE);
	expect_mostly("omp_late_worker", SD_IDLE_IMBALANCE);
}

static void a_held_mutex_is_a_lock(void **state)
{
	(void)state;
	expect_mostly("mutex_bound", SD_IDLE_LOCK);
}

static void a_timer_is_sleep_and_a_pipe_is_network(void **state)
{
	(void)state;
	expect_mostly("sleeps", SD_IDLE_SLEEP);
	expect_mostly("waits_for_a_pipe", SD_IDLE_NETWORK);
}

/* s that an fsync takes here; 0 where there is no disk, or threads cannot be met in it. */
static double cost_of_fsync(void)
{
	struct statfs fs;
	char path[] = "sd-fsync-XXXXXX";
	const int fd = mkstemp(path);
	double least = 1;
	int is_disk;

	if (fd < 0)
		return 0;
	unlink(path);
	is_disk = fstatfs(fd, &fs) == 0 && fs.f_type != 0x01021994 /* tmpfs */;
	for (int i = 0; i < 5 && is_disk; i++) {
		const double start = now_s(CLOCK_MONOTONIC);

		is_disk = write(fd, "x", 1) == 1 && fsync(fd) == 0;
		least = fmin(least, now_s(CLOCK_MONOTONIC) - start);
	}
	close(fd);
	return is_disk && least > 2e-4 ? least : 0;
}

/* Serial as well: there is no second thread while the one computes. */
static void fsync_is_the_disk(void **state)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	const double cost = cost_of_fsync();
	const struct others since = others_now();
	struct sd_run run = {0};
	double active, disk, others;

	(void)state;
	if (!two_cpus(cpu) || cost <= 0) {
		fprintf(stderr,
			"SKIP: fsync_is_the_disk: no disk below the current folder, or no two CPUs\n");
		skip();
	}
	run_program("syncs_to_disk", &cpus, &run);
	active = run.thread[0].cpu.value + run.thread[0].run_delay.value;
	disk = run.idle[SD_IDLE_DISK].value;
	others = run.idle[SD_IDLE_NETWORK].value + run.idle[SD_IDLE_SLEEP].value +
		 run.idle[SD_IDLE_LOCK].value + run.idle[SD_IDLE_IMBALANCE].value;
	/* from a wait of less than some milliseconds it may wake up between the reads of its state
	 * and of its call: that is said to be unknown, and nothing else */
	if (cost >= 5e-3)
		others += run.idle[SD_IDLE_UNKNOWN].value;
	print_idle("syncs_to_disk", &run);
	if (active > 0.6 * run.metric[SD_METRIC_WALL].value) {
		fprintf(stderr, "SKIP: fsync_is_the_disk: it waited for a CPU, not for the disk\n");
		sd_run_free(&run);
		skip();
	}
	sd_run_free(&run);
	if (!(disk > 2 * others)) {
		others_skip(&since, __func__);
		fail_msg("not mostly the disk");
	}
}

static void processes_shorter_than_a_poll_are_still_serial(void **state)
{
	(void)state;
	expect_mostly("many_short_processes", SD_IDLE_SERIAL);
}

static void what_is_idle_is_what_did_not_run(void **state)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	const struct others since = others_now();
	struct sd_run run = {0};
	double idle = 0, polled, cpu_s = 0;

	(void)state;
	if (!two_cpus(cpu))
		skip();
	run_program("late_worker", &cpus, &run);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		idle += run.idle[i].value;
	for (size_t i = 0; i < run.n_thread; i++)
		cpu_s += run.thread[i].cpu.value;
	/* over the time between the first and the last poll; the threads were seen until then */
	polled = run.metric[SD_METRIC_POLLS].value * run.metric[SD_METRIC_POLL_PERIOD].value;
	assert_true(polled <= run.metric[SD_METRIC_WALL].value + 1e-3);
	sd_run_free(&run);
	/* a counter lags by a tick of at most 10 ms for each of two runners */
	if (!(idle > 2 * polled - cpu_s - 0.05 && idle < 2 * polled - cpu_s + 0.05)) {
		others_skip(&since, __func__);
		fail_msg("%g s idle of %g s, %g s of which it ran", idle, 2 * polled, cpu_s);
	}
}

static void counters_count_the_whole_tree(void **state)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	struct sd_run run = {0};
	const struct sd_value *const clock = &run.metric[SD_METRIC_TASK_CLOCK];
	const struct sd_value *const tsc = &run.metric[SD_METRIC_TSC_CYCLES];
	const struct sd_value *const hz = &run.metric[SD_METRIC_TSC_HZ];

	(void)state;
	if (!two_cpus(cpu))
		skip();
	run_program("late_process", &cpus, &run);
	if (sd_has(*clock)) /* two children work 0.25 s of CPU time */
		assert_true(clock->value > 0.25 - 1e-3 &&
			    clock->value < 2 * run.metric[SD_METRIC_WALL].value + 0.01);
	if (sd_has(*clock) && sd_has(*tsc) && sd_has(*hz)) {
		const double ratio = tsc->value / (clock->value * hz->value);

		assert_true(ratio > 0.9 && ratio < 1.1);
	} else {
		fprintf(stderr, "SKIP: TSC cycles against the clock: %s\n",
			sd_status_name(tsc->status));
	}
	sd_run_free(&run);
}

static void a_thread_outside_its_cpus_is_seen(void **state)
{
	unsigned cpu[2];
	struct sd_cpulist cpus = {.cpu = cpu, .n = 1};
	struct sd_run run = {0};

	(void)state;
	if (!two_cpus(cpu))
		skip();
	/* the program is bound to nothing here, so that one CPU is all it should have had */
	run_program("leaves_its_cpus", &cpus, &run);
	assert_true(run.flags & SD_RUN_REBOUND);
	sd_run_free(&run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_runner_is_serial),
		cmocka_unit_test(serial_code_before_a_parallel_part_is_serial),
		cmocka_unit_test(serial_code_behind_a_parallel_part_is_serial),
		cmocka_unit_test(serial_code_in_a_thread_of_its_own_is_serial),
		cmocka_unit_test(a_late_worker_is_imbalance),
		cmocka_unit_test(a_late_first_thread_is_known_by_its_code),
		cmocka_unit_test(a_late_process_is_imbalance),
		cmocka_unit_test(openmp_is_told_apart_by_where_its_workers_wait),
		cmocka_unit_test(a_held_mutex_is_a_lock),
		cmocka_unit_test(a_timer_is_sleep_and_a_pipe_is_network),
		cmocka_unit_test(fsync_is_the_disk),
		cmocka_unit_test(processes_shorter_than_a_poll_are_still_serial),
		cmocka_unit_test(what_is_idle_is_what_did_not_run),
		cmocka_unit_test(counters_count_the_whole_tree),
		cmocka_unit_test(a_thread_outside_its_cpus_is_seen),
	};

	if (argc == 2 && strcmp(argv[0], "program") == 0) {
		for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
			if (strcmp(argv[1], programs[i].name) == 0) {
				programs[i].run();
				return 0;
			}
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
