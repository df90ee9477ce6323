/*
 * Advice is in the words of the language that the program is written in.
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

static const struct {
	const char *function, *module; /* in its stacks */
	const char *word;              /* of its own, about fields that threads write */
} languages[] = {
	{"main", "/home/me/app", "alignas"},
	{"runtime.goexit.abi0", "/home/me/app", "[120]byte"},
	{"start_thread", "/usr/lib/jvm/java-17/lib/server/libjvm.so", "@Contended"},
	{"uv_run", "/opt/node/bin/node", "each worker elements"},
	{"std::sys::backtrace::__rust_begin_short_backtrace", "/home/me/app", "CachePadded"},
};

/* Words of remedies that only C and C++ have. */
static const char *const of_c[] = {
	"alignas", "M_TRIM", "mallopt", "LD_PRELOAD", "arena_max", "nproc", "madvise", "OMP_"};

static int is_told(const struct sd_texts *t, const char *word)
{
	for (size_t i = 0; i < t->n; i++)
		if (strstr(t->text[i], word))
			return 1;
	return 0;
}

/* Everything that may be told of this program. */
static void tell(struct made *m, const struct sd_advice_texts *r, struct sd_where *where)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *const f = &m->a.finding[i];

		f->where = where;
		f->n_where = 1;
		if (f->advice.n == 0)
			sd_texts_add(&f->advice, "plain");
	}
	m->a.constructs.openmp = SD_OK(0);
	sd_advice_texts_fill(&m->c, r);
}

static void each_language_has_its_own_words(void **state)
{
	char work[] = "work", file[] = "/home/me/work";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof languages / sizeof *languages; k++) {
		char module[80];
		struct sd_where where = {
			.function = work, .file = file, .line = 3, .module = module};
		struct made m;

		make(&m, "mutex");
		/* compiled code is in the program, other code was made while it ran */
		snprintf(module, sizeof module, "%s",
			strcmp(languages[k].module, "/home/me/app") == 0 ? languages[k].module
									 : "[jit]");
		make_call(&m.record, 0, languages[k].function, "", 0, languages[k].module);
		tell(&m, &r, &where);
		for (size_t j = 0; j < sizeof languages / sizeof *languages; j++)
			assert_int_equal(is_told(&m.a.finding[SD_CAUSE_FALSE_SHARING].advice,
						 languages[j].word),
				j == k);
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			struct sd_texts *const t = &m.a.finding[i].advice;

			if (t->n == 0)
				fail_msg("%s: nothing", sd_cause_info[i].name);
			/* Rust programs may use glibc's allocator, and Node.js is one of C */
			for (size_t j = 0; k == 1 && j < sizeof of_c / sizeof *of_c; j++)
				if (is_told(t, of_c[j]) && i != SD_CAUSE_DTLB)
					fail_msg("%s: %s", sd_cause_info[i].name, of_c[j]);
			sd_texts_free(t);
		}
		sd_record_free(&m.record);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Whoever waits for a lock waits for no hand-over: the advice on those does not depend on it. */
static void waits_for_locks_say_nothing_of_hand_overs(void **state)
{
	static const struct {
		enum sd_activity activity;
		double seconds;
	} waits[] = {{SD_ACTIVITY_MUTEX, 3}, {SD_ACTIVITY_CONDITION, 2}};
	struct sd_advice_facts facts;
	struct sd_run run = {0};
	const struct sd_run *runs = &run;
	struct made m;

	(void)state;
	make(&m, "mutex");
	run.sampled.status = SD_STATUS_OK;
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
		make_use(&run, 0, waits[i].activity, waits[i].seconds);
	m.last.run = &runs;
	m.last.n_run = 1;
	m.spread.now = &m.last;
	sd_advice_facts_gather(&m.c, &facts);
	assert_true(sd_has(facts.value[SD_FACT_HANDED]));
	assert_true(facts.value[SD_FACT_HANDED].value > .99);
	sd_sampled_free(&run.sampled);
	sd_texts_free(&m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice);
}

/* The moving word is a lock's or a count of references, whatever the language calls that, and also
 * where the function that writes it was inlined; else it is the data's. */
static void a_locks_or_a_counts_own_word_is_told_in_every_language(void **state)
{
	static const struct {
		const char *in, *object;
		int lock, count;
	} rows[] = {{"sync.(*RWMutex).RLock", NULL, 1, 0}, {"pthread_rwlock_rdlock", NULL, 1, 0},
		{NULL, "anonymous memory of 4 MiB (struct main.cache.mu.readerCount)", 1, 0},
		{NULL, "table_lock.__data.__readers", 1, 0},
		{NULL, "memory allocated in main() (class _Sp_counted_base<2>+8)", 0, 1},
		{"std::_Sp_counted_base<2>::_M_release()", NULL, 0, 1},
		{"std::shared_ptr<app::config>::shared_ptr(std::shared_ptr<app::config> const&)",
			NULL, 0, 1},
		{"std::vector<std::shared_ptr<app::config>>::back()", NULL, 0, 0},
		{"core::sync::atomic::AtomicU64::fetch_add", NULL, 0, 0},
		{NULL, "struct main.server.served", 0, 0}, {NULL, NULL, 0, 0}};
	char get[] = "main.get", module[] = "/home/me/app", in[80], object[80];
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct sd_where where = {.function = get, .module = module};
		struct made m;

		make(&m, "mutex");
		snprintf(in, sizeof in, "%s", rows[k].in ? rows[k].in : "");
		snprintf(object, sizeof object, "%s", rows[k].object ? rows[k].object : "");
		where.in = rows[k].in ? in : NULL;
		where.object = rows[k].object ? object : NULL;
		tell(&m, &r, &where);
		assert_int_equal(
			is_told(&m.a.finding[SD_CAUSE_TRUE_SHARING].advice, "the lock's own word"),
			rows[k].lock);
		assert_int_equal(
			is_told(&m.a.finding[SD_CAUSE_TRUE_SHARING].advice, "copy of a shared_ptr"),
			rows[k].count);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* One thread that starts a goroutine for each item is not told to start them in parallel. */
static void goroutines_for_each_item_are_to_be_fewer(void **state)
{
	double cost[2 * SD_PART_COUNT] = {
		[SD_PART_COUNT + SD_PART_SERIAL] = 1, [SD_PART_COUNT + SD_PART_LOCK] = 1};
	char start[] = "main.main", file[] = "/home/me/a.go", module[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (int k = 0; k < 4; k++) {
		const int go = k & 1, makes = k >> 1;
		struct sd_spot spot[] = {{0}, {.tasks = makes}};
		struct sd_where where = {
			.function = start, .file = file, .line = 3, .module = module};
		struct made m;

		make(&m, "runtime-lock");
		m.spread.now = &m.last;
		m.spread.places.spot = spot;
		m.spread.places.n_spot = 2;
		m.spread.spot = cost;
		make_call(&m.record, 0, go ? "runtime.goexit.abi0" : "main", "", 0, module);
		tell(&m, &r, &where);
		assert_int_equal(
			is_told(&m.a.finding[SD_CAUSE_SERIAL_CODE].advice, "started for each item"),
			go && makes);
		assert_int_equal(is_told(&m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice,
					 "started for each item"),
			go && makes);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		sd_record_free(&m.record);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* A program in which one thread works has not got the core count, or does not use it. */
static void one_thread_that_does_all_the_work_may_not_know_the_count(void **state)
{
	static const struct {
		double threads;
		const char *argument, *told;
	} rows[] = {{0, "100", "hand the count over"}, {0, "-j{n}", "although the core count"},
		{1, "100", "while the others wait"}};
	char work[] = "work", file[] = "/home/me/a.c", module[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct sd_where where = {
			.function = work, .file = file, .line = 3, .module = module};
		struct made m;

		make(&m, "mutex");
		assert_int_equal(sd_texts_add(&m.record.program.argv, "%s", rows[k].argument), 0);
		m.a.constructs.threads = SD_OK(rows[k].threads);
		m.a.constructs.processes = SD_OK(0);
		tell(&m, &r, &where);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			assert_int_equal(
				is_told(&m.a.finding[SD_CAUSE_SERIAL_CODE].advice, rows[i].told),
				i == k);
		if (k == 0)
			assert_true(is_told(
				&m.a.finding[SD_CAUSE_SERIAL_CODE].advice, "{n} in its arguments"));
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		sd_texts_free(&m.record.program.argv);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* Work of one thread that all others wait for is told by its caller: an event loop, a strand, a
 * manager's process; and not in a process that was forked below it. */
static void what_has_one_thread_for_all_is_told(void **state)
{
	static const char loop[] = "py::Handle._run:/usr/lib/python3.11/asyncio/events.py";
	static const struct {
		const char *caller, *below;
		enum sd_fact fact;
		int is;
	} row[] = {{loop, NULL, SD_FACT_EVENT_LOOP, 1},
		{"py::Thread.run:/usr/lib/python3.11/threading.py", NULL, SD_FACT_EVENT_LOOP, 0},
		{"py::<module>:/usr/lib/python3.11/asyncio/base_events.py", NULL,
			SD_FACT_EVENT_LOOP, 0},
		{loop, "py::BaseProcess._bootstrap:/usr/lib/python3.11/multiprocessing/process.py",
			SD_FACT_EVENT_LOOP, 0},
		{"asio::detail::strand_executor_service::run_ready_handlers()", NULL,
			SD_FACT_STRAND, 1},
		{"asio::detail::scheduler::run()", NULL, SD_FACT_STRAND, 0},
		{"py::Server.serve_client:/usr/lib/python3.11/multiprocessing/managers.py", NULL,
			SD_FACT_MANAGER, 1}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_advice_facts facts;
		struct sd_run run = {0};
		const struct sd_run *runs = &run;
		struct made m;
		unsigned node;

		make(&m, "mutex");
		node = make_call(&m.record, 0, row[k].caller, NULL, 0, "[jit]");
		if (row[k].below)
			node = make_call(&m.record, node, row[k].below, NULL, 0, "[jit]");
		node = make_call(&m.record, node, "py::handle:/srv/app.py", NULL, 0, "[jit]");
		make_use(&run, node, SD_ACTIVITY_USEFUL, 3)->blame_serial = 2;
		m.last.run = &runs;
		m.last.n_run = 1;
		m.spread.now = &m.last;
		sd_advice_facts_gather(&m.c, &facts);
		assert_true(sd_has(facts.value[row[k].fact]));
		assert_int_equal(facts.value[row[k].fact].value > .99, row[k].is);
		sd_sampled_free(&run.sampled);
		sd_texts_free(&m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice);
		sd_record_free(&m.record);
	}
}

/* Threads that are made for each piece of work have no number that the program could have right. */
static void threads_made_for_each_piece_are_kept_in_a_pool(void **state)
{
	static const char *const call[] = {"kernel_clone", "futex_wake"};
	char work[] = "work", module[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof call / sizeof *call; k++) {
		struct sd_where where = {.function = work, .module = module};
		struct sd_run run = {0};
		const struct sd_run *runs = &run;
		struct made m;

		make(&m, "mutex");
		make_use(&run, make_call(&m.record, 0, call[k], NULL, 0, "[kernel]"),
			SD_ACTIVITY_KERNEL_THREADS, 3);
		m.last.run = &runs;
		m.last.n_run = 1;
		m.spread.now = &m.last;
		tell(&m, &r, &where);
		assert_int_equal(is_told(&m.a.finding[SD_CAUSE_OVERSUBSCRIPTION].advice,
					 "made for each piece of work"),
			k == 0);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_texts_free(&m.a.finding[i].advice);
		sd_sampled_free(&run.sampled);
		sd_record_free(&m.record);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* The interpreter's lock, where the place is a function that the interpreter names, and where a
 * program of C holds the interpreter and waits for it in a function of its own. */
static void the_interpreters_lock_is_told_at_its_functions(void **state)
{
	char crunch[] = "py::crunch:/srv/app.py", jit[] = "[jit]", run[] = "run",
	     embed[] = "/srv/embed", gil[] = "GIL, _PyRuntime+0x1b0", other[] = "vm_lock";
	struct sd_where where = {.function = crunch, .module = jit};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (int k = 0; k < 4; k++) {
		struct made m;
		struct sd_finding *f;

		make(&m, k == 1 ? "mutex" : "runtime-lock");
		if (k < 2)
			make_call(&m.record, 0, "Py_RunMain", NULL, 0, "/usr/bin/python3.11");
		where.function = k < 2 ? crunch : run;
		where.module = k < 2 ? jit : embed;
		m.a.lock[0].name = k == 2 ? gil : k == 3 ? other : NULL;
		f = &m.a.finding[SD_CAUSE_LOCK_CONTENTION];
		f->where = &where;
		f->n_where = 1;
		sd_advice_texts_fill(&m.c, &r);
		assert_int_equal(is_told(&f->advice, "interpreter's own lock"), k == 0 || k == 2);
		m.a.lock[0].name = NULL;
		sd_texts_free(&f->advice);
		sd_record_free(&m.record);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language_has_its_own_words),
		cmocka_unit_test(threads_made_for_each_piece_are_kept_in_a_pool),
		cmocka_unit_test(goroutines_for_each_item_are_to_be_fewer),
		cmocka_unit_test(a_locks_or_a_counts_own_word_is_told_in_every_language),
		cmocka_unit_test(what_has_one_thread_for_all_is_told),
		cmocka_unit_test(the_interpreters_lock_is_told_at_its_functions),
		cmocka_unit_test(one_thread_that_does_all_the_work_may_not_know_the_count),
		cmocka_unit_test(waits_for_locks_say_nothing_of_hand_overs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
