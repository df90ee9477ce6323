/* A look at the memory of another process, which goes through much or little of it. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "neighbours/memory_look.h"

/* A child that goes through so many bytes until it is killed. */
static pid_t go_through(size_t bytes)
{
	const pid_t child = fork();
	volatile char *memory;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memory = calloc(1, bytes);
	for (;;)
		for (size_t i = 0; memory && i < bytes; i += 64)
			memory[i]++;
}

static struct sd_value look_at(size_t bytes)
{
	const pid_t child = go_through(bytes);
	struct sd_value v;

	usleep(100000);
	v = sd_memory_look((int)child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return v;
}

/* May a process of ours be sampled here? Asked of the kernel, not of the look. */
static int may_sample(void)
{
	struct perf_event_attr attr = {.size = sizeof attr,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.exclude_kernel = 1};
	const pid_t child = go_through(4096);
	const long fd = syscall(SYS_perf_event_open, &attr, child, -1, -1, 0);

	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return fd >= 0 && close((int)fd) == 0;
}

static void much_memory_and_little_are_told_apart(void **state)
{
	const size_t much = 64u << 20, little = 16u << 10;
	struct sd_value a, b;

	(void)state;
	if (!may_sample()) {
		fprintf(stderr, "SKIP: %s: the kernel lets nobody here sample a process\n",
			__func__);
		skip();
	}
	a = look_at(much);
	b = look_at(little);
	assert_int_equal(a.status, SD_STATUS_OK);
	assert_int_equal(b.status, SD_STATUS_OK);
	assert_true(a.value > 10 * b.value);
	assert_true(b.value <= (double)little + 8192);
}

static void nobody_has_no_memory(void **state)
{
	const pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	assert_int_equal(sd_memory_look((int)child).status, SD_STATUS_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(much_memory_and_little_are_told_apart),
		cmocka_unit_test(nobody_has_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
