/* Precedence on a CPU, on the machine itself; skipped where the cgroup may not be made. A CPU must
 * be real: how long an emulated one stands still counts for who is on it then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/private_cgroup.h"
#include "support/first_cpu.h"

/* A child that computes on one CPU until it is killed. */
static pid_t busy_on(unsigned cpu)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		cpu_set_t *one = CPU_ALLOC(SD_CPU_MAX);
		const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);

		if (!one)
			_exit(1);
		memset(one, 0, size);
		CPU_SET_S(cpu, size, one);
		if (sched_setaffinity(0, size, one))
			_exit(1);
		for (volatile unsigned x = 0;; x++) {
		}
	}
	return pid;
}

static double cpu_time(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Two processes are as busy on one CPU; the one with precedence gets 64 times as much, and less
 * only while the other has not been put off the CPU yet. */
static void precedence_gives_more_of_a_cpu(void **state)
{
	const struct timespec tenth = {.tv_nsec = 100000000};
	struct sd_cpulist cpus = first_cpu();
	struct sd_private_cgroup h;
	pid_t first, other;
	double had, others;
	int rc;

	(void)state;
	rc = sd_private_cgroup_weight(&h);
	if (rc) {
		sd_cpulist_free(&cpus);
		fprintf(stderr, "SKIP: %s: no private cpu cgroup here: %s\n", __func__,
			strerror(-rc));
		skip();
	}
	first = busy_on(cpus.cpu[0]);
	other = busy_on(cpus.cpu[0]);
	assert_int_equal(sd_private_cgroup_add(&h, first), 0);
	had = -cpu_time(first);
	others = -cpu_time(other);
	for (int i = 0; i < 100 && had + cpu_time(first) < .5; i++)
		nanosleep(&tenth, NULL);
	had += cpu_time(first);
	others += cpu_time(other);
	kill(first, SIGKILL);
	kill(other, SIGKILL);
	while (wait(NULL) > 0) {
	}
	assert_true(had > 4 * others);
	assert_int_equal(sd_private_cgroup_close(&h), 0);
	sd_cpulist_free(&cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precedence_gives_more_of_a_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
