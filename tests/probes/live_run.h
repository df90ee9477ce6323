/*
 * Runs of the programs of live_programs.h under the probes.
 */
#ifndef SD_TEST_LIVE_RUN_H
#define SD_TEST_LIVE_RUN_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/probes.h"
#include "threads/thread_sampler.h"
#include "probes/live_programs.h"
#include "support/others.h"
#include "probe/accountant.h"

/* The subreaper: starts the program, which waits for `go` to close; says its number; stays. */
static inline void keep(const char *name, int go, int up)
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

static inline void tick_until_over(struct session *s, int up)
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
static inline void run_program(const char *name, const struct sd_cpulist *cpus, struct sd_run *run)
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
	/* what each measures begins with its own start */
	start = now_s(CLOCK_MONOTONIC);
	for (size_t i = 0; s.probe[i]; i++)
		if (!s.error[i] && s.probe[i]->start)
			s.probe[i]->start(s.state[i]);
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
static inline int two_cpus(unsigned cpu[2])
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

static inline void print_idle(const char *name, const struct sd_run *run)
{
	fprintf(stderr, "%s:", name);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (run->idle[i].value > 0)
			fprintf(stderr, " %s %.3f", sd_idle_name[i], run->idle[i].value);
	fprintf(stderr, "\n");
}

/* Runs it and checks what the largest idle class is, leaving out what other processes on the
 * machine cause: waiting for a CPU. */
static inline void expect_mostly(const char *name, enum sd_idle idle)
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

#endif
