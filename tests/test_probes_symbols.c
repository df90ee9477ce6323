#include "symbols.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "stopped.h"

enum { FRAMES = 128 };

/* ---- a child of ours in a known chain of calls ---- */

struct child {
	int pid, tid;
	int ready; /* read end of a pipe: a byte says that it is there */
};

/* not static: neither inlined nor cloned under another name */
void sym_sleeps(int n);
void sym_reads(int n);
void sym_locks(int n);
void sym_spins(int n);
void sym_middle(void (*leaf)(int), int n);
void sym_outer(void (*leaf)(int), int n);

static int tell; /* write end, in the child */
static volatile int zero;

static void say_ready(void)
{
	if (write(tell, "", 1) != 1)
		_exit(1);
}

__attribute__((noinline)) void sym_sleeps(int n)
{
	const struct timespec long_enough = {.tv_sec = 100};

	say_ready();
	nanosleep(&long_enough, NULL);
	zero = n;
}

__attribute__((noinline)) void sym_reads(int n)
{
	int p[2];
	char c;

	/* a pipe that nobody writes to */
	if (pipe(p) != 0)
		_exit(1);
	say_ready();
	zero = n + (int)read(p[0], &c, 1);
}

static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void sym_locks(int n)
{
	pthread_mutex_lock(&taken);
	say_ready();
	pthread_mutex_lock(&taken);
	zero = n;
}

__attribute__((noinline)) void sym_spins(int n)
{
	say_ready();
	for (;;)
		zero = n;
}

__attribute__((noinline)) void sym_middle(void (*leaf)(int), int n)
{
	volatile char room[3000];

	room[n] = 1;
	leaf(n + 1);
	zero = room[n];
}

__attribute__((noinline)) void sym_outer(void (*leaf)(int), int n)
{
	sym_middle(leaf, n + 1);
	zero = n;
}

static struct child start(void (*leaf)(int))
{
	struct child c;
	char byte;
	int p[2];

	assert_int_equal(pipe(p), 0);
	c.pid = c.tid = fork();
	assert_true(c.pid >= 0);
	if (c.pid == 0) {
		tell = p[1];
		sym_outer(leaf, 1);
		_exit(0);
	}
	close(p[1]);
	c.ready = p[0];
	assert_int_equal(read(c.ready, &byte, 1), 1);
	return c;
}

static void finish(const struct child *c)
{
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, NULL, __WALL) > 0)
		;
	close(c->ready);
}

/* ---- what is said of it ---- */

struct said {
	uint64_t pc[FRAMES];
	size_t n;
	int whole;
	char names[4096]; /* " leaf caller ..." */
};

static void name_all(struct sd_symbols *s, int pid, struct said *out)
{
	size_t used = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct sd_place place[8];
		const size_t n = sd_symbols_at(s, pid, out->pc[i], i > 0, place, 8);

		assert_in_range(n, 1, 8);
		for (size_t k = 0; k < n && used < sizeof out->names; k++)
			used += (size_t)snprintf(out->names + used, sizeof out->names - used, " %s",
				place[k].function ? place[k].function : "?");
	}
}

static int look(struct sd_symbols *s, const struct child *c, struct said *out)
{
	static struct stopped at;

	if (stopped_look(&at, c->tid) != 0)
		return -1;
	sd_symbols_visit(s, c->pid);
	out->n = sd_symbols_unwind(
		s, c->pid, &at.regs, at.stack, at.size, 0, out->pc, FRAMES, &out->whole);
	name_all(s, c->pid, out);
	return 0;
}

static int in_order(const char *names, const char *const *wanted)
{
	for (; *wanted; wanted++) {
		char word[64];

		snprintf(word, sizeof word, " %s ", *wanted);
		names = strstr(names, word);
		if (!names)
			return 0;
		names += strlen(word) - 1;
	}
	return 1;
}

static void check_chain(void (*leaf)(int), const char *first, const char *second)
{
	const char *const wanted[] = {
		first, second, "sym_middle", "sym_outer", "main", "_start", NULL};
	const char *const *from = *first ? wanted : wanted + 1;
	struct child c = start(leaf);
	struct sd_symbols *s;
	struct said said = {0};
	const struct timespec moment = {.tv_nsec = 20000000};

	nanosleep(&moment, NULL);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	if (look(s, &c, &said) != 0) {
		finish(&c);
		sd_symbols_close(s);
		print_message("SKIP: tracing a child is denied here\n");
		skip();
	}
	finish(&c);
	strcat(said.names, " ");
	if (!in_order(said.names, from) || !said.whole)
		fail_msg("%zu frames, whole %d:%s", said.n, said.whole, said.names);
	sd_symbols_close(s);
}

static void a_sleeping_thread_is_unwound_through_libc_to_its_start(void **state)
{
	(void)state;
	check_chain(sym_sleeps, "", "sym_sleeps");
}

static void a_thread_that_reads_is_unwound_through_libc(void **state)
{
	(void)state;
	check_chain(sym_reads, "", "sym_reads");
}

static void a_thread_that_waits_for_a_mutex_is_unwound_through_libc(void **state)
{
	(void)state;
	check_chain(sym_locks, "", "sym_locks");
}

static void a_running_thread_is_unwound(void **state)
{
	(void)state;
	check_chain(sym_spins, "", "sym_spins");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleeping_thread_is_unwound_through_libc_to_its_start),
		cmocka_unit_test(a_thread_that_reads_is_unwound_through_libc),
		cmocka_unit_test(a_thread_that_waits_for_a_mutex_is_unwound_through_libc),
		cmocka_unit_test(a_running_thread_is_unwound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
