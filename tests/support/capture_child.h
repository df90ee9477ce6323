/*
 * A child that waits before its exec, captured from there to its end: what the tests and the
 * benchmark of the capture share.
 */
#ifndef CAPTURE_CHILD_H
#define CAPTURE_CHILD_H

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace.h"

struct capture_child {
	pid_t pid;
	int gate;
};

static inline uint64_t capture_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The CPUs of this process. */
static inline struct sd_cpulist capture_cpus(void)
{
	struct sd_cpulist list = {0};
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		for (unsigned i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &set))
				sd_cpulist_add(&list, i);
	return list;
}

/* Runs argv when the gate is closed. */
static inline struct capture_child capture_fork(char *const argv[])
{
	struct capture_child c = {.pid = -1, .gate = -1};
	int gate[2];
	char byte;

	if (pipe(gate))
		return c;
	c.pid = fork();
	if (c.pid == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) == 0)
			execv(argv[0], argv);
		_exit(127);
	}
	close(gate[0]);
	c.gate = gate[1];
	return c;
}

/* Lets the child go and drains until it has ended; its status, and what it and its children used.
 * `c` NULL: only waits. */
static inline int capture_run(
	struct capture_child *child, struct sd_capture *c, struct rusage *usage)
{
	struct pollfd end = {.fd = -1, .events = POLLIN};
	int status = -1;

	close(child->gate);
	if (!c) {
		wait4(child->pid, &status, 0, usage);
		return status;
	}
	/* on its end too: a run that is over is not to wait for the next drain */
	end.fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	while (wait4(child->pid, &status, WNOHANG, usage) == 0) {
		const uint64_t delay = sd_trace_drain(c, capture_now());
		const struct timespec t = {.tv_sec = (time_t)(delay / 1000000000u),
			.tv_nsec = (long)(delay % 1000000000u)};

		ppoll(&end, 1, &t, NULL);
	}
	if (end.fd >= 0)
		close(end.fd);
	return status;
}

#endif
