#include "symbols/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/stopped.h"

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
void sym_starts(int n);
void sym_interrupted(int n);
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
	int whole, seen;

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
	n_all = sd_symbols_unwind(s, c.pid, &at.regs, at.stack, at.size, 0, all, FRAMES, &whole);
	for (size_t size = 0; size < at.size && size < 8192; size += 8) {
		n_cut = sd_symbols_unwind(
			s, c.pid, &at.regs, at.stack, size, 0, cut, FRAMES, &whole);
		assert_in_range(n_cut, 1, n_all);
		assert_memory_equal(all, cut, n_cut * sizeof *cut);
		/* whole means whole */
		assert_int_equal(whole, n_cut == n_all);
	}
	sd_symbols_close(s);
}

static void nothing_is_said_of_nothing(void **state)
{
	const struct sd_regs none = {0};
	struct sd_placement_of place;
	struct sd_symbols *s;
	const char *name;
	uint64_t pc[4], start_at;
	unsigned char code[4];
	int whole = 1;

	(void)state;
	assert_int_equal(sd_symbols_open(&s, ""), 0);
	assert_int_equal(sd_symbols_unwind(s, 1, &none, NULL, 0, 0, pc, 4, &whole), 0);
	assert_int_equal(whole, 0);
	assert_int_equal(sd_symbols_at(s, 1, 0x1234, 0, &place, 1), 1);
	assert_null(place.function);
	assert_null(place.module);
	assert_int_equal(place.offset, 0x1234);
	assert_int_equal(sd_symbols_data(s, 1, 0x1234, &name, &start_at), -ENOENT);
	assert_int_equal(sd_symbols_code(s, 1, 0x1234, code, 4), 0);
	sd_symbols_visit(s, 0x7fffffff);
	sd_symbols_close(s);
	sd_symbols_close(NULL);
}

static const char *module_at(struct sd_symbols *s, int pid, uint64_t pc)
{
	struct sd_placement_of place;

	assert_int_equal(sd_symbols_at(s, pid, pc, 0, &place, 1), 1);
	return place.module ? place.module : "";
}

static void map(struct sd_symbols *s, int pid, uint64_t address, uint64_t size, const char *name)
{
	const struct sd_event e = {.kind = SD_EVENT_MAP,
		.pid = pid,
		.tid = pid,
		.address = address,
		.size = size,
		.name = name};

	assert_int_equal(sd_symbols_event(s, &e), 0);
}

static void a_fork_keeps_the_space_that_an_exec_leaves(void **state)
{
	const struct sd_event fork_2 = {.kind = SD_EVENT_FORK, .pid = 2, .tid = 2, .other = 1};
	const struct sd_event thread = {.kind = SD_EVENT_FORK, .pid = 1, .tid = 3, .other = 1};
	const struct sd_event exec_1 = {.kind = SD_EVENT_EXEC, .pid = 1, .tid = 1};
	const struct sd_event exit_2 = {.kind = SD_EVENT_EXIT, .pid = 2, .tid = 2};
	struct sd_symbols *s;

	(void)state;
	assert_int_equal(sd_symbols_open(&s, "/nonexistent"), 0);
	map(s, 1, 0x1000, 0x3000, "/a");
	assert_int_equal(sd_symbols_event(s, &fork_2), 0);
	assert_int_equal(sd_symbols_event(s, &thread), 0);
	map(s, 1, 0x2000, 0x1000, "/b");
	/* in the middle of what was there, for itself alone */
	assert_string_equal(module_at(s, 1, 0x1fff), "/a");
	assert_string_equal(module_at(s, 1, 0x2000), "/b");
	assert_string_equal(module_at(s, 1, 0x3000), "/a");
	assert_string_equal(module_at(s, 2, 0x2000), "/a");
	assert_int_equal(sd_symbols_event(s, &exec_1), 0);
	assert_string_equal(module_at(s, 1, 0x2000), "");
	/* what has ended is still known */
	assert_int_equal(sd_symbols_event(s, &exit_2), 0);
	assert_string_equal(module_at(s, 2, 0x3fff), "/a");
	assert_string_equal(module_at(s, 2, 0x4000), "");
	assert_string_equal(module_at(s, 2, 0xfff), "");
	sd_symbols_close(s);
}

/* A root with one text file in it. */
static void put_file(const char *folder, const char *below, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, below);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *folder, const char *below, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
	unlink(path);
	snprintf(path, sizeof path, "%s/%s", folder, below);
	rmdir(path);
	rmdir(folder);
}

static void jit_code_is_named_by_its_map(void **state)
{
	char folder[] = "/tmp/sd-symbols-XXXXXX";
	struct sd_placement_of place;
	struct sd_symbols *s;

	(void)state;
	assert_non_null(mkdtemp(folder));
	put_file(folder, "tmp", "perf-77.map",
		"1000 20 first\n1010 xx broken\nnonsense\n1020 10 LazyCompile:~f a.js:1\n"
		"1020 10 again\n1040 ffffffffffffffff around\n1050 10 cut");
	assert_int_equal(sd_symbols_open(&s, folder), 0);
	map(s, 77, 0x1000, 0x1000, "//anon");
	assert_int_equal(sd_symbols_at(s, 77, 0x101f, 0, &place, 1), 1);
	assert_string_equal(place.function, "first");
	assert_string_equal(place.module, "[jit]");
	assert_int_equal(place.offset, 0x101f);
	assert_int_equal(place.start, 0x1000);
	/* as a return address it is the instruction before */
	assert_int_equal(sd_symbols_at(s, 77, 0x1020, 1, &place, 1), 1);
	assert_string_equal(place.function, "first");
	assert_int_equal(sd_symbols_at(s, 77, 0x1020, 0, &place, 1), 1);
	assert_string_equal(place.function, "again");
	assert_int_equal(sd_symbols_at(s, 77, 0x1041, 0, &place, 1), 1);
	assert_null(place.function);
	assert_int_equal(sd_symbols_at(s, 77, 0x1055, 0, &place, 1), 1);
	assert_null(place.function);
	sd_symbols_close(s);
	remove_file(folder, "tmp", "perf-77.map");
}

static void kernel_addresses_are_named_or_hidden(void **state)
{
	static const char shown[] = "ffffffff81000000 T _stext\nffffffff81000100 t one\n"
				    "ffffffff81000200 D data\nffffffffc0000000 t two\t[module]\n"
				    "ffffffffc0000100 t last\t[module]\n";
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 t one\n";
	struct sd_placement_of place;

	(void)state;
	for (int is_hidden = 0; is_hidden < 2; is_hidden++) {
		char folder[] = "/tmp/sd-symbols-XXXXXX";
		struct sd_symbols *s;

		assert_non_null(mkdtemp(folder));
		put_file(folder, "proc", "kallsyms", is_hidden ? hidden : shown);
		assert_int_equal(sd_symbols_open(&s, folder), 0);
		sd_symbols_kernel(s, 0xffffffff81000142, &place);
		assert_string_equal(place.module, "[kernel]");
		if (is_hidden)
			assert_null(place.function);
		else
			assert_string_equal(place.function, "one");
		sd_symbols_kernel(s, 0xffffffffc00000ff, &place);
		assert_true(is_hidden || strcmp(place.function, "two") == 0);
		/* data, and what lies behind the last one */
		sd_symbols_kernel(s, 0xffffffff81000210, &place);
		assert_null(place.function);
		sd_symbols_kernel(s, 0xffffffffc0000200, &place);
		assert_null(place.function);
		sd_symbols_close(s);
		remove_file(folder, "proc", "kallsyms");
	}
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
		cmocka_unit_test(nothing_is_said_of_nothing),
		cmocka_unit_test(a_fork_keeps_the_space_that_an_exec_leaves),
		cmocka_unit_test(jit_code_is_named_by_its_map),
		cmocka_unit_test(kernel_addresses_are_named_or_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
