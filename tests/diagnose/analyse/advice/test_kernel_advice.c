/*
 * The kind of work that the kernel did for a program, and the calls that it is below, decide what
 * to do about it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "diagnose/analyse/advice/advice_case.h"
#include "support/make_samples.h"

#define APP "/home/me/app"

static char python[] = "/usr/bin/python3.11";

static const struct {
	enum sd_cause cause;
	enum sd_activity activity;
	const char *below; /* a function on the stack; "py::": Python runs the place */
	const char *text;  /* of the first advice */
} rows[] = {
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_FORK, "dup_mmap", "posix_spawn() or vfork()"},
	/* processes that end, and none was seen to be copied */
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_FORK, "exit_mmap", "strace -c -f"},
	{SD_CAUSE_BARRIER_OVERHEAD, SD_ACTIVITY_KERNEL_FORK, "dup_mmap",
		"render() (a.cc:7) makes processes by fork()"},
	{SD_CAUSE_SERIAL_CODE, SD_ACTIVITY_KERNEL_FORK, "dup_mmap",
		"render() (a.cc:7) starts processes by fork() while the others wait"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_SHOOTDOWN, "mprotect", "interrupts every core"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_DESCRIPTORS, "dup",
		"one table for all threads"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_NAMES, "unlink", "names of files"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_FAULT, "work", "M_TRIM_THRESHOLD"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_ZEROING, "work", "M_TRIM_THRESHOLD"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_ZEROING, "py::add", "numpy's out="},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_FAULT, "py::add", "keep workers"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_MMAP_LOCK, "mmap", "address space's lock"},
	{SD_CAUSE_KERNEL_MEMORY, SD_ACTIVITY_KERNEL_FILE, "read", "strace -c -f"},
	{SD_CAUSE_BARRIER_OVERHEAD, SD_ACTIVITY_KERNEL_THREADS, "pthread_cond_broadcast",
		"notify_one"},
	{SD_CAUSE_BARRIER_OVERHEAD, SD_ACTIVITY_KERNEL_THREADS, "pthread_create", "in a pool"},
	{SD_CAUSE_BARRIER_OVERHEAD, SD_ACTIVITY_KERNEL_THREADS, "pthread_cond_signal", "plain"},
	{SD_CAUSE_LOCK_CONTENTION, SD_ACTIVITY_KERNEL_THREADS, "pthread_cond_broadcast",
		"shorten the critical section"},
	{SD_CAUSE_SERIAL_CODE, SD_ACTIVITY_JOIN,
		"std::__future_base::_Async_state_impl<int, void>::~_Async_state_impl()",
		"render() (a.cc:7) throws the future of std::async() away"},
	{SD_CAUSE_SERIAL_CODE, SD_ACTIVITY_JOIN, "pthread_join", "make it parallel"},
};

static void the_kind_of_its_samples_says_what_to_do(void **state)
{
	char render[] = "render", file[] = "a.cc", app[] = APP;
	struct sd_where where = {.function = render, .file = file, .line = 7, .module = app};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1)};
		const struct sd_run *runs = &run;
		struct sd_finding *f;
		struct made m;
		unsigned node;

		make(&m, "mutex");
		f = &m.a.finding[rows[k].cause];
		if (f->advice.n == 0)
			assert_int_equal(sd_texts_add(&f->advice, "plain"), 0);
		where.module = strncmp(rows[k].below, "py::", 4) == 0 ? python : app;
		f->where = &where;
		f->n_where = 1;
		node = make_call(&m.record, 0, "main", "a.cc", 3, APP);
		node = make_call(&m.record, node, rows[k].below, "", 0, APP);
		make_use(&run, node, rows[k].activity, .9)->blame_serial =
			rows[k].cause == SD_CAUSE_SERIAL_CODE ? .9 : 0;
		/* a thread that interrupts the other cores holds the lock that others wait for */
		if (rows[k].activity == SD_ACTIVITY_KERNEL_SHOOTDOWN)
			make_use(&run, node, SD_ACTIVITY_KERNEL_MMAP_LOCK, 1);
		m.last.run = &runs;
		m.last.n_run = 1;
		m.last.median_time = 1;
		m.spread.now = &m.last;
		m.spread.locking.status = SD_STATUS_ABSENT;
		m.a.constructs = (struct sd_constructs){SD_OK(0), SD_OK(1), SD_OK(0)};
		sd_advice_texts_fill(&m.c, &r);
		if (!f->advice.n || !strstr(f->advice.text[0], rows[k].text))
			fail_msg("%s: '%s'", rows[k].below, f->advice.n ? f->advice.text[0] : "");
		sd_texts_free(&f->advice);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		sd_sampled_free(&run.sampled);
		sd_stacks_free(&m.record.stacks);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* A run at 2 cores: one thread in four waits for that lock, or one in 400. */
static void the_kernel_s_own_lock_says_what_to_do(void **state)
{
	static const struct {
		const char *name;
		double wait_s;
		const char *text; /* NULL: none of these */
	} row[] = {
		{"futex bucket (waiters)", .25, "at a word of each thread's own"},
		{"epoll (a set)", .25, "leave descriptors in it"},
		{"epoll (a set)", .0025, NULL},
		{"pipe (a pipe)", .25, NULL},
	};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_kernel_lock wait = {.wait_s = row[k].wait_s};
		struct sd_kernel_locks locks = {.status = SD_STATUS_OK, .row = &wait, .n_row = 1};
		struct sd_run run = {.end = SD_END_EXITED,
			.kind = SD_RUN_BLOCK,
			.kernel_locks = &locks,
			.metric[SD_METRIC_WALL] = SD_OK(1)};
		struct sd_plan_point point = {.cores = 2};
		struct sd_texts *t;
		struct made m;
		int told = 0;

		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_KERNEL_MEMORY].advice;
		assert_int_equal(sd_texts_add(t, "plain"), 0);
		assert_int_equal(sd_stacks_text(&m.record.stacks, row[k].name, &wait.name), 0);
		m.record.plan.point = &point;
		m.record.plan.n_point = 1;
		m.record.run = &run;
		m.record.n_run = 1;
		m.last.n = 2;
		sd_advice_texts_fill(&m.c, &r);
		for (size_t i = 0; i < t->n; i++)
			told |= row[k].text ? strstr(t->text[i], row[k].text) != NULL
					    : strstr(t->text[i], "epoll") != NULL;
		assert_int_equal(told, row[k].text != NULL);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		sd_stacks_free(&m.record.stacks);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Advice about an allocator depends on whose it is; glibc's alone has arenas to be counted. */
static void advice_about_an_allocator_is_that_of_its_own(void **state)
{
	static const struct {
		const char *function, *module, *text;
	} row[] = {
		{"__libc_malloc_impl", APP, "musl's malloc()"},
		{"malloc", "/lib/ld-musl-x86_64.so.1", "musl's malloc()"},
		{"malloc", "/usr/lib/libjemalloc.so.2", "percpu_arena"},
		{"_rjem_je_arena_dalloc", APP, "percpu_arena"},
		{"tc_newarray", APP, "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES"},
		{"(anonymous namespace)::do_free_pages(tcmalloc::Span*, void*) [clone .cold]", APP,
			"TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES"},
		{"_mi_malloc_generic", APP, "MIMALLOC_PURGE_DELAY"},
		{"scalable_free", "/usr/lib/libtbbmalloc.so.2", "oneTBB's allocator"},
		{"_int_malloc", "/usr/lib/libc.so.6", "pools"},
	};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1)};
		const struct sd_run *runs = &run;
		unsigned node, arenas = 0;
		struct sd_texts *t;
		struct made m;

		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_ALLOCATOR].advice;
		assert_int_equal(sd_texts_add(t, "plain"), 0);
		node = make_call(&m.record, 0, "visit", "a.cc", 3, APP);
		/* more of the time is in functions that other allocators have, too */
		make_use(&run, make_call(&m.record, node, "free", "", 0, APP), SD_ACTIVITY_USEFUL,
			.8);
		node = make_call(&m.record, node, row[k].function, "", 0, row[k].module);
		make_use(&run, node, SD_ACTIVITY_USEFUL, .2);
		m.last.run = &runs;
		m.last.n_run = 1;
		m.last.median_time = 1;
		sd_advice_texts_fill(&m.c, &r);
		if (!strstr(t->text[0], row[k].text))
			fail_msg("%s: '%s'", row[k].function, t->text[0]);
		for (size_t i = 0; i < t->n; i++)
			arenas += strstr(t->text[i], "glibc.malloc.arena_max") != NULL;
		assert_int_equal(arenas, k + 1 == sizeof row / sizeof *row);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		sd_sampled_free(&run.sampled);
		sd_stacks_free(&m.record.stacks);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Nobody was sampled in an allocator: whose it is, is not known, and not "none of these". */
static void an_allocator_that_was_not_seen_is_not_known(void **state)
{
	static const enum sd_fact fact[] = {SD_FACT_MUSL, SD_FACT_JEMALLOC, SD_FACT_MIMALLOC,
		SD_FACT_TCMALLOC, SD_FACT_TBB_MALLOC};
	struct sd_run run = {.metric[SD_METRIC_WALL] = SD_OK(1)};
	const struct sd_run *runs = &run;
	struct sd_advice_facts facts;
	struct made m;

	(void)state;
	make(&m, "mutex");
	m.last.run = &runs;
	m.last.n_run = 1;
	m.last.median_time = 1;
	for (int seen = 0; seen < 2; seen++) {
		if (seen)
			make_use(&run, make_call(&m.record, 0, "malloc", "", 0, APP),
				SD_ACTIVITY_USEFUL, .5);
		sd_advice_facts_gather(&m.c, &facts);
		for (size_t i = 0; i < sizeof fact / sizeof *fact; i++)
			assert_int_equal(facts.value[fact[i]].status,
				seen ? SD_STATUS_OK : SD_STATUS_ABSENT);
	}
	sd_texts_free(&m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice);
	sd_sampled_free(&run.sampled);
	sd_stacks_free(&m.record.stacks);
}

/* OpenMP's directives do nothing where the compiler was not asked to look at them. */
static void one_thread_without_openmp_is_asked_for_the_flag(void **state)
{
	static const struct {
		int openmp, told;
	} row[] = {{0, 1}, {1, 0}};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		char work[] = "work", app[] = APP;
		struct sd_where where = {.function = work, .module = app};
		struct sd_texts *t;
		struct made m;

		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_SERIAL_CODE].advice;
		assert_int_equal(sd_texts_add(t, "plain"), 0);
		m.a.finding[SD_CAUSE_SERIAL_CODE].where = &where;
		m.a.finding[SD_CAUSE_SERIAL_CODE].n_where = 1;
		m.a.constructs = (struct sd_constructs){SD_OK(row[k].openmp), SD_OK(0), SD_OK(0)};
		sd_advice_texts_fill(&m.c, &r);
		assert_true(t->n > 0);
		assert_int_equal(strstr(t->text[0], "built without -fopenmp") != NULL, row[k].told);
		assert_non_null(strstr(t->text[0], "hand the count over"));
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Small messages are to be fewer, large ones to be moved while ranks compute; a rank that writes
 * for all is not given less of the domain. */
static void advice_fits_the_messages_and_files_of_ranks(void **state)
{
	static const struct {
		double bytes, files;
		enum sd_cause cause;
		const char *told;
	} row[] = {{8, 0, SD_CAUSE_MPI, "fewer and larger messages"},
		{1 << 20, 0, SD_CAUSE_MPI, "MPI_Test()"},
		{8, 0, SD_CAUSE_LOAD_IMBALANCE, "divide the domain anew"},
		{8, 3, SD_CAUSE_LOAD_IMBALANCE, "one rank reads or writes files"},
		{8, 3, SD_CAUSE_SERIAL_CODE, "one rank reads or writes files"}};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_mpi_call_site site = {.calls = 10, .bytes = 10 * row[i].bytes};
		struct sd_mpi_run mpi = {.status = SD_STATUS_OK, .site = &site, .n_site = 1};
		struct sd_run run = {.mpi = &mpi};
		const struct sd_run *runs = &run;
		struct made m;
		struct sd_texts *t;

		make(&m, "mutex");
		t = &m.a.finding[row[i].cause].advice;
		assert_int_equal(sd_texts_add(t, "plain"), 0);
		m.a.ranks.known = 1;
		m.a.ranks.ranks = 2;
		make_use(&run, 0, SD_ACTIVITY_USEFUL, 6)->solo = 2;
		make_use(&run, 0, SD_ACTIVITY_KERNEL_FILE, 3)->solo = row[i].files;
		m.last.run = &runs;
		m.last.n_run = 1;
		sd_advice_texts_fill(&m.c, &r);
		assert_true(t->n > 0);
		if (!strstr(t->text[0], row[i].told))
			fail_msg("row %zu: %s", i, t->text[0]);
		for (int k = 0; k < SD_CAUSE_COUNT; k++)
			sd_texts_free(&m.a.finding[k].advice);
		sd_sampled_free(&run.sampled);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kind_of_its_samples_says_what_to_do),
		cmocka_unit_test(the_kernel_s_own_lock_says_what_to_do),
		cmocka_unit_test(advice_fits_the_messages_and_files_of_ranks),
		cmocka_unit_test(advice_about_an_allocator_is_that_of_its_own),
		cmocka_unit_test(an_allocator_that_was_not_seen_is_not_known),
		cmocka_unit_test(one_thread_without_openmp_is_asked_for_the_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
