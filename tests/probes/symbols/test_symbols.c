#include <errno.h>
#include <sys/stat.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/symbols/known_chain.h"
#include "probes/symbols/stopped.h"

enum { FRAMES = 128 };

/* ---- a child of ours in a known chain of calls ---- */

/* not static: neither inlined nor cloned under another name */
void sym_sleeps(int n);

void sym_reads(int n);

void sym_locks(int n);

void sym_spins(int n);

void sym_starts(int n);

void sym_interrupted(int n);

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

static void handle(int signal)
{
	(void)signal;
	sym_sleeps(1);
}

/* Interrupted at an instruction, not at a call. */
__attribute__((noinline)) void sym_interrupted(int n)
{
	signal(SIGALRM, handle);
	ualarm(20000, 0);
	for (;;)
		zero = n;
}

static void *in_thread(void *leaf)
{
	void (*call)(int);

	*(void **)&call = leaf;
	sym_outer(call, 1);
	return NULL;
}

static void finish(const struct child *c)
{
	kill(c->pid, SIGKILL);
	/* who traces a thread sees it end before its process does */
	while (c->tid != c->pid && waitpid(c->tid, NULL, __WALL) > 0)
		;
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
		struct sd_placement_of place[8];
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
	struct sd_unwound how;
	struct sd_event e;

	if (stopped_look(&at, c->tid) != 0)
		return -1;
	sd_symbols_visit(s, c->pid);
	e = stopped_event(&at, c->pid, at.size);
	out->n = sd_symbols_unwind(s, &e, out->pc, FRAMES, &how);
	out->whole = how.whole;
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

static void a_signal_handler_is_unwound_to_what_it_interrupted(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	fprintf(stderr, "SKIP: %s: the thread sanitizer keeps signals back until a call\n",
		__func__);
	skip();
#endif
	check_chain(sym_interrupted, "sym_sleeps", "sym_interrupted");
}

static void a_running_thread_is_unwound(void **state)
{
	(void)state;
	check_chain(sym_spins, "", "sym_spins");
}

/* A second thread in the chain, the first one waits for it. */
__attribute__((noinline)) void sym_starts(int n)
{
	void (*const leaf)(int) = sym_sleeps;
	pthread_t t;

	if (pthread_create(&t, NULL, in_thread, *(void *const *)&leaf) != 0)
		_exit(1);
	pthread_join(t, NULL);
	zero = n;
}

static int other_thread(int pid)
{
	const struct dirent *e;
	char path[64];
	int tid = -1;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", pid);
	d = opendir(path);
	assert_non_null(d);
	while ((e = readdir(d)))
		if (atoi(e->d_name) > 0 && atoi(e->d_name) != pid)
			tid = atoi(e->d_name);
	closedir(d);
	assert_true(tid > 0);
	return tid;
}

static void a_thread_is_unwound_to_its_start(void **state)
{
	const char *const wanted[] = {"sym_sleeps", "sym_middle", "sym_outer", "in_thread", NULL};
	struct child c = start(sym_starts);
	struct sd_symbols *s;
	struct said said = {0};
	int seen;

	(void)state;
	c.tid = other_thread(c.pid);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	seen = look(s, &c, &said);
	finish(&c);
	strcat(said.names, " ");
	if (seen == 0 && (!in_order(said.names, wanted) || !said.whole))
		fail_msg("%zu frames, whole %d:%s", said.n, said.whole, said.names);
	sd_symbols_close(s);
}

static void a_cut_stack_is_not_whole_and_keeps_its_leaf_end(void **state)
{
	static struct stopped at;
	struct child c = start(sym_sleeps);
	uint64_t all[FRAMES], cut[FRAMES];
	size_t n_all, n_cut;
	struct sd_symbols *s;
	struct sd_unwound how;
	struct sd_event e;
	int seen;

	(void)state;
	seen = stopped_look(&at, c.tid);
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	sd_symbols_visit(s, c.pid);
	finish(&c);
	if (seen != 0) {
		sd_symbols_close(s);
		print_message("SKIP: tracing a child is denied here\n");
		skip();
	}
	e = stopped_event(&at, c.pid, at.size);
	n_all = sd_symbols_unwind(s, &e, all, FRAMES, &how);
	for (size_t size = 0; size < at.size && size < 8192; size += 8) {
		e = stopped_event(&at, c.pid, size);
		n_cut = sd_symbols_unwind(s, &e, cut, FRAMES, &how);
		assert_in_range(n_cut, 1, n_all);
		assert_memory_equal(all, cut, n_cut * sizeof *cut);
		/* whole means whole, and else it is the copy that ends */
		assert_int_equal(how.inside, n_cut);
		assert_int_equal(how.whole, n_cut == n_all ? 1 : size < 8 ? 0 : -ERANGE);
	}
	sd_symbols_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleeping_thread_is_unwound_through_libc_to_its_start),
		cmocka_unit_test(a_thread_that_reads_is_unwound_through_libc),
		cmocka_unit_test(a_thread_that_waits_for_a_mutex_is_unwound_through_libc),
		cmocka_unit_test(a_running_thread_is_unwound),
		cmocka_unit_test(a_signal_handler_is_unwound_to_what_it_interrupted),
		cmocka_unit_test(a_thread_is_unwound_to_its_start),
		cmocka_unit_test(a_cut_stack_is_not_whole_and_keeps_its_leaf_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
