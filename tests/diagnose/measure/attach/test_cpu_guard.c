/* The CPUs of a process with threads of its own: narrowed, and put back whatever happens. */
#include "attach/cpu_guard.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/task_ids.h"
#include "support/first_cpu.h"

#define THREADS 3

static void *wait_here(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

/* A child with threads that only wait; one is bound to the first CPU by itself. */
struct fixture {
	pid_t pid;
	struct sd_attached program;
	struct sd_task_ids ids;
	cpu_set_t all, first;
	struct sd_cpulist one; /* the first CPU */
};

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static int setup(void **state)
{
	struct fixture *const f = calloc(1, sizeof *f);
	char name[16];

	if (!f)
		return -1;
	sched_getaffinity(0, sizeof f->all, &f->all);
	f->pid = fork();
	if (f->pid == 0) {
		pthread_t t;

		for (int i = 1; i < THREADS; i++)
			pthread_create(&t, NULL, wait_here, NULL);
		wait_here(NULL);
		_exit(0);
	}
	for (int i = 0; i < 2000 && f->ids.n < THREADS; i++, nap())
		sd_task_ids_add(&f->ids, "", f->pid);
	/* a sanitizer may add its own */
	assert_true(f->ids.n >= THREADS);
	CPU_ZERO(&f->first);
	f->one = first_cpu();
	CPU_SET(f->one.cpu[0], &f->first);
	assert_int_equal(sched_setaffinity(f->ids.tid[1], sizeof f->first, &f->first), 0);
	snprintf(name, sizeof name, "%d", (int)f->pid);
	assert_int_equal(sd_attached_find(&f->program, SD_ATTACH_PID, name, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *const f = *state;

	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
	sd_attached_free(&f->program);
	sd_task_ids_free(&f->ids);
	sd_cpulist_free(&f->one);
	free(f);
	return 0;
}

static int has(const struct fixture *f, size_t thread, const cpu_set_t *set)
{
	cpu_set_t now;

	return sched_getaffinity(f->ids.tid[thread], sizeof now, &now) == 0 && CPU_EQUAL(&now, set);
}

static int is_as_before(const struct fixture *f)
{
	return has(f, 0, &f->all) && has(f, 1, &f->first) && has(f, 2, &f->all);
}

static int is_narrow(const struct fixture *f)
{
	return has(f, 0, &f->first) && has(f, 1, &f->first) && has(f, 2, &f->first);
}

static void every_thread_gets_back_what_it_had(void **state)
{
	struct fixture *const f = *state;
	struct sd_cpu_guard g;

	assert_int_equal(sd_cpu_guard_open(&g, &f->program, NULL), 0);
	assert_true(is_as_before(f));
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), 0);
	assert_true(is_narrow(f));
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
	assert_true(is_as_before(f));
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
}

/* Then its opener does what the guard cannot. */
static void the_guard_may_be_killed(void **state)
{
	struct fixture *const f = *state;
	struct sd_cpu_guard g;

	assert_int_equal(sd_cpu_guard_open(&g, &f->program, NULL), 0);
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), 0);
	assert_int_equal(kill(g.pid, SIGKILL), 0);
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
	assert_true(is_as_before(f));
}

static void its_opener_may_be_killed(void **state)
{
	struct fixture *const f = *state;
	const pid_t opener = fork();

	if (opener == 0) {
		struct sd_cpu_guard g;

		if (sd_cpu_guard_open(&g, &f->program, NULL) ||
			sd_cpu_guard_narrow(&g, &f->one, NULL) || !is_narrow(f))
			_exit(1);
		kill(getpid(), SIGKILL);
	} else {
		int status;

		assert_int_equal(waitpid(opener, &status, 0), opener);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	for (int i = 0; i < 2000 && !is_as_before(f); i++)
		nap();
	assert_true(is_as_before(f));
}

/* Both, as one who ends all of a group does: a note is left, and the next start mends by it. */
static void both_may_be_killed(void **state)
{
	struct fixture *const f = *state;
	struct sd_cpu_guard g;
	size_t changed = 0;
	char label[64];
	int note;

	assert_int_equal(sd_cpu_guard_open(&g, &f->program, NULL), 0);
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), 0);
	kill(g.pid, SIGKILL);
	waitpid(g.pid, NULL, 0);
	note = dup(g.note.fd);
	assert_true(is_narrow(f));
	/* one that was not ended was not acted on */
	assert_true(write(note, "\nbegin of another", 17) == 17);
	assert_int_equal(sd_mask_note_mend(note, &changed, label, sizeof label), 0);
	assert_int_equal(changed, 2);
	assert_string_equal(label, f->program.label);
	assert_true(is_as_before(f));
	/* and once only */
	assert_int_equal(sd_mask_note_mend(note, &changed, label, sizeof label), 0);
	assert_int_equal(changed, 0);
	close(note);
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
}

static void a_guard_that_is_stopped_is_not_waited_for(void **state)
{
	struct fixture *const f = *state;
	struct sd_cpu_guard g;
	struct timespec t[2];
	pid_t guard;

	assert_int_equal(sd_cpu_guard_open(&g, &f->program, NULL), 0);
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), 0);
	guard = g.pid;
	assert_int_equal(kill(guard, SIGSTOP), 0);
	clock_gettime(CLOCK_MONOTONIC, &t[0]);
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &t[1]);
	assert_true(t[1].tv_sec - t[0].tv_sec < 60);
	assert_true(is_as_before(f));
	assert_int_equal(kill(guard, 0), -1);
}

static void what_it_chose_meanwhile_it_keeps(void **state)
{
	struct fixture *const f = *state;
	cpu_set_t chosen;
	struct sd_cpu_guard g;

	if (CPU_COUNT(&f->all) < 2)
		skip();
	CPU_XOR(&chosen, &f->all, &f->first);
	assert_int_equal(sd_cpu_guard_open(&g, &f->program, NULL), 0);
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), 0);
	assert_int_equal(sched_setaffinity(f->ids.tid[2], sizeof chosen, &chosen), 0);
	/* the next count has it as well, and it gets back what it chose */
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), 0);
	assert_true(is_narrow(f));
	assert_int_equal(sched_setaffinity(f->ids.tid[1], sizeof chosen, &chosen), 0);
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
	assert_true(has(f, 0, &f->all) && has(f, 1, &chosen) && has(f, 2, &chosen));
}

static void a_program_that_ends_is_no_error(void **state)
{
	struct fixture *const f = *state;
	struct sd_cpu_guard g;

	assert_int_equal(sd_cpu_guard_open(&g, &f->program, NULL), 0);
	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
	assert_int_equal(sd_cpu_guard_narrow(&g, &f->one, NULL), -ESRCH);
	assert_int_equal(sd_cpu_guard_close(&g, NULL), 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_thread_gets_back_what_it_had),
		TEST(the_guard_may_be_killed),
		TEST(its_opener_may_be_killed),
		TEST(both_may_be_killed),
		TEST(a_guard_that_is_stopped_is_not_waited_for),
		TEST(what_it_chose_meanwhile_it_keeps),
		TEST(a_program_that_ends_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
