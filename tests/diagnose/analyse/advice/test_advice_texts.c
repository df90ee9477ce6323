/* Advice texts: read with their place when they are wrong, given with their evidence only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <errno.h>
#include <cmocka.h>

#include "diagnose/analyse/advice/advice_case.h"

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	strcpy(ctx, text);
}

#define GOOD "cause = \"disk\"; text = \"t\"; source = \"s\";"

static void wrong_advice_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "t.conf:1: advice"},
		{"advice = (\n", "t.conf:2: syntax error"},
		{"advice = (\n{ cause = \"dsk\"; text = \"t\"; source = \"s\"; });",
			"t.conf:2: no such cause"},
		{"advice = (\n{ cause = \"disk\"; text = \"t\"; });", "t.conf:2: a row of advice"},
		{"advice = (\n{ " GOOD "\nwhy = 1; });", "t.conf:3: no such setting"},
		{"advice = (\n{ " GOOD "\nwhen = \"moon > 1\"; });",
			"t.conf:3: when: names something"},
		{"advice = (\n{ " GOOD "\nwhen = \"cores >\"; });", "t.conf:3: "},
		{"advice = (\n7);", "t.conf:2: a row of advice is a group"},
		{"@include \"/etc/passwd\"\n", "@include is not allowed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char said[1024] = "";
		const struct sd_sink sink = {.emit = keep, .ctx = said};
		struct sd_advice_texts r = {0};
		const int rc =
			sd_advice_texts_add(&r, "t.conf", row[i].text, strlen(row[i].text), &sink);

		if (rc != -EINVAL || !strstr(said, row[i].says))
			print_error("row %zu: %d: '%s'\n", i, rc, said);
		assert_int_equal(rc, -EINVAL);
		assert_non_null(strstr(said, row[i].says));
		sd_advice_texts_free(&r);
	}
}

static void the_programs_own_advice_reads_and_has_something_for_the_papers_causes(void **state)
{
	static const enum sd_cause paper[] = {SD_CAUSE_MEMORY_BANDWIDTH, SD_CAUSE_LLC_CAPACITY,
		SD_CAUSE_DTLB, SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING,
		SD_CAUSE_LOCK_CONTENTION, SD_CAUSE_DISK};
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	for (size_t k = 0; k < sizeof paper / sizeof *paper; k++) {
		int plain = 0;

		for (size_t i = 0; i < r.n; i++)
			plain |= r.row[i].cause == paper[k] && !r.row[i].when.handle &&
				 strstr(r.row[i].source, "Levinthal") != NULL;
		assert_true(plain);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

static const char advice[] =
	"advice = ({ cause = \"lock-contention\"; text = \"always\"; source = \"s\"; "
	"},{ cause = \"lock-contention\"; when = \"rwlock == 1\"; text = \"read\"; source = \"s\"; "
	"},{ cause = \"lock-contention\"; when = \"lock_busy > 0\"; text = \"busy\"; source = \"s\"; "
	"},{ cause = \"lock-contention\"; text = \"in {function} ({line})\"; source = \"s\"; "
	"},{ cause = \"disk\"; text = \"disk\"; source = \"s\"; } );";

static void advice_comes_with_its_evidence_only(void **state)
{
	struct sd_advice_texts r = {0};
	char function[] = "f%s", file[] = "a.c";
	struct sd_where where = {.function = function, .file = file, .line = 7};
	struct made m;
	struct sd_texts *t;

	(void)state;
	assert_int_equal(sd_advice_texts_add(&r, "t.conf", advice, strlen(advice), NULL), 0);
	make(&m, "mutex");
	t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
	sd_advice_texts_fill(&m.c, &r);
	assert_int_equal(t->n, 1); /* no reader's lock, nothing known of waits or places */
	assert_string_equal(t->text[0], "always");
	assert_int_equal(m.a.finding[SD_CAUSE_DISK].advice.n, 0); /* not a finding to advise on */
	sd_texts_free(t);

	make(&m, "rwlock");
	t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
	m.lock.busy = SD_OK(.5);
	m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
	m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
	sd_advice_texts_fill(&m.c, &r);
	assert_int_equal(t->n, SD_ADVICE_TEXTS_MOST);
	assert_string_equal(t->text[0], "read");
	assert_string_equal(t->text[1], "busy");
	assert_string_equal(t->text[2], "in f%s() (a.c:7)");
	sd_texts_free(t);
	sd_advice_texts_free(&r);
}

/* Advice names the caller, where it is known and not the function itself. */
static void advice_names_the_caller(void **state)
{
	static const char rows[] =
		"advice = ({ cause = \"lock-contention\"; text = \"{from} calls {function} ({line})\"; source = \"s\"; "
		"},{ cause = \"lock-contention\"; text = \"in {function}\"; source = \"s\"; } );";
	static const struct {
		const char *from, *first;
	} row[] = {{"main(int)", "main(int) calls f() (a.c:7)"}, {"f", "in f()"}, {NULL, "in f()"}};
	struct sd_advice_texts r = {0};

	(void)state;
	assert_int_equal(sd_advice_texts_add(&r, "t.conf", rows, strlen(rows), NULL), 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_where where = {.function = (char *)(uintptr_t) "f",
			.file = (char *)(uintptr_t) "a.c",
			.from = (char *)(uintptr_t)row[i].from,
			.line = 7};
		struct sd_finding *f;
		struct made m;

		make(&m, "mutex");
		f = &m.a.finding[SD_CAUSE_LOCK_CONTENTION];
		f->where = &where;
		f->n_where = 1;
		sd_advice_texts_fill(&m.c, &r);
		assert_string_equal(f->advice.text[0], row[i].first);
		sd_texts_free(&f->advice);
	}
	sd_advice_texts_free(&r);
}

/* Nobody changes the system's library, or an interpreter: what calls it is what there is
 * to change. */
static void a_library_is_no_place_to_change(void **state)
{
	static const char rows[] =
		"advice = ({ cause = \"lock-contention\"; text = \"always\"; source = \"s\"; "
		"},{ cause = \"lock-contention\"; text = \"in {function}\"; source = \"s\"; "
		"},{ cause = \"lock-contention\"; when = \"lock_word == 1\"; text = \"word\"; source = \"s\"; "
		"},{ cause = \"lock-contention\"; when = \"python == 1\"; text = \"python\"; source = \"s\"; } );";
	static const struct {
		const char *function, *module, *first, *second;
	} row[] = {
		{"lock_all", "/home/me/app", "in lock_all()", "always"},
		{"__pthread_rwlock_rdlock", "/usr/lib/x86_64-linux-gnu/libc.so.6", "word",
			"always"},
		{"memcpy", "/usr/lib/x86_64-linux-gnu/libc.so.6", "always", NULL},
		{"_PyEval_EvalFrameDefault", "/opt/bin/python3.11", "in _PyEval_EvalFrameDefault()",
			"python"},
	};
	struct sd_advice_texts r = {0};

	(void)state;
	assert_int_equal(sd_advice_texts_add(&r, "t.conf", rows, strlen(rows), NULL), 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char function[64], module[64];
		struct sd_where where = {.function = function, .module = module};
		struct made m;
		struct sd_texts *t;

		strcpy(function, row[i].function);
		strcpy(module, row[i].module);
		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].where = &where;
		m.a.finding[SD_CAUSE_LOCK_CONTENTION].n_where = 1;
		sd_advice_texts_fill(&m.c, &r);
		assert_string_equal(t->text[0], row[i].first);
		assert_int_equal(t->n > 1, row[i].second != NULL);
		if (row[i].second)
			assert_string_equal(t->text[1], row[i].second);
		sd_texts_free(t);
	}
	sd_advice_texts_free(&r);
}

static struct sd_constructs made_of; /* what the program under test has */
static double tallest;               /* share of the thread that works most; 0: not known */
static double usable;                /* CPUs that its affinity leaves it; 0: all */
static double bound;                 /* CPUs whose threads wait for those that others have */
static double crowded;               /* of the time, with more threads ready than CPUs */

/* The first advice of the program's own table for a cause at a place, with a lock of a kind. */
static char *called_by;

static void expect_advice(const struct sd_advice_texts *r, enum sd_cause cause,
	const char *function, const char *module, const char *kind, const char *has,
	const char *lacks)
{
	char name[64], file[64], source[] = "a.c";
	struct sd_where where = {
		.function = name, .module = file, .file = source, .line = 7, .from = called_by};
	struct sd_thread_row thread = {.share = tallest};
	double ready[128] = {[127] = crowded};
	struct sd_run run = {.concurrency = ready, .n_concurrency = 128};
	const struct sd_run *runs = &run;
	struct made m;
	struct sd_texts *t;
	int found = 0;

	snprintf(name, sizeof name, "%s", function);
	snprintf(file, sizeof file, "%s", module);
	make(&m, kind);
	t = &m.a.finding[cause].advice;
	if (t->n == 0)
		assert_int_equal(sd_texts_add(t, "plain"), 0);
	m.a.finding[cause].where = &where;
	m.a.finding[cause].n_where = 1;
	m.a.constructs = made_of;
	m.a.threads.row = &thread;
	m.a.threads.n_row = tallest > 0;
	if (usable > 0 || crowded > 0 || bound > 0) {
		run.metric[SD_METRIC_WALL] = SD_OK(1);
		run.metric[SD_METRIC_USABLE] = usable > 0 ? SD_OK(usable) : SD_NOT(ABSENT);
		run.metric[SD_METRIC_BOUND_WAIT] = SD_OK(bound);
		m.last.run = &runs;
		m.last.n_run = 1;
	}
	sd_advice_texts_fill(&m.c, r);
	for (size_t i = 0; i < t->n; i++) {
		found |= strstr(t->text[i], has) != NULL;
		assert_null(strstr(t->text[i], lacks));
	}
	if (!found)
		fail_msg("%s, %s: '%s'", function, kind, t->n ? t->text[0] : "");
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		sd_texts_free(&m.a.finding[i].advice);
}

/* Parallel code is not to be made so, and a semaphore of processes is no interpreter's lock. */
static void advice_fits_the_construct(void **state)
{
	static const char python[] = "/usr/bin/python3.11", app[] = "/home/me/app";
	struct sd_advice_texts r = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&r, c.name, c.text, c.size, NULL), 0);
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "main._omp_fn.0", app, "mutex", "smaller pieces",
		"make it parallel");
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "f.omp_outlined", app, "mutex", "smaller pieces",
		"make it parallel");
	called_by = (char[]){"main._omp_fn.0 [a.c:5]"};
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "work", app, "mutex",
		"main._omp_fn.0 [a.c:5] is parallel already", "make that part");
	called_by = NULL;
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "read_input", app, "mutex", "make it parallel",
		"smaller pieces");
	expect_advice(&r, SD_CAUSE_LOCK_CONTENTION, "_PyEval_EvalFrameDefault", python,
		"runtime-lock", "processes instead of threads", "semaphore");
	expect_advice(&r, SD_CAUSE_LOCK_CONTENTION, "_multiprocessing_SemLock_acquire_impl", python,
		"semaphore", "of its own", "let more threads in");
	expect_advice(&r, SD_CAUSE_LOCK_CONTENTION, "append_line", app, "file-lock", "on a file",
		"semaphore");
	/* one thread at a time, whoever calls it serial */
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "_PyEval_EvalFrameDefault", python, "runtime-lock",
		"processes instead of threads", "make it parallel");
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "GenCollectedHeap::do_collection",
		"/usr/lib/jvm/lib/server/libjvm.so", "mutex", "UseParallelGC", "alone parallel");
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "[libjvm.so+0x8d2f10]",
		"/usr/lib/jvm/lib/server/libjvm.so", "mutex", "UseParallelGC", "alone parallel");
	made_of = (struct sd_constructs){SD_OK(0), SD_OK(1), SD_OK(0)};
	expect_advice(&r, SD_CAUSE_LOAD_IMBALANCE, "work", app, "mutex", "a queue", "OpenMP");
	expect_advice(&r, SD_CAUSE_SPINNING, "work", app, "mutex", "sleep in a call", "OMP_");
	crowded = .5;
	expect_advice(&r, SD_CAUSE_SPINNING, "work", app, "mutex", "OPENBLAS_NUM_THREADS=1", "\n");
	crowded = .01;
	expect_advice(&r, SD_CAUSE_SPINNING, "work", app, "mutex", "sleep in a call", "OPENBLAS");
	crowded = 0;
	expect_advice(
		&r, SD_CAUSE_OVERSUBSCRIPTION, "work", app, "mutex", "as many threads", "omp_");
	made_of = (struct sd_constructs){SD_OK(1), SD_OK(1), SD_OK(0)};
	expect_advice(
		&r, SD_CAUSE_LOAD_IMBALANCE, "work", app, "mutex", "schedule(dynamic)", "queue");
	/* whoever has no threads at all keeps no others waiting */
	tallest = .6;
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "tile", app, "mutex", "while the others wait",
		"one thread does all the work");
	tallest = .98;
	expect_advice(&r, SD_CAUSE_SERIAL_CODE, "tile", app, "mutex",
		"one thread does all the work", "others wait");
	tallest = 0;
	/* its own affinity is not repaired by fewer threads */
	usable = 1;
	expect_advice(&r, SD_CAUSE_OVERSUBSCRIPTION, "tile", app, "mutex", "taskset",
		"as many threads as");
	usable = 0;
	/* nor is one CPU that several are bound to */
	bound = .5;
	expect_advice(&r, SD_CAUSE_OVERSUBSCRIPTION, "tile", app, "mutex",
		"tile() (a.c:7) binds threads", "as many threads as");
	bound = 0;
	made_of = (struct sd_constructs){SD_OK(0), SD_OK(0), SD_OK(1)};
	expect_advice(&r, SD_CAUSE_LOCK_CONTENTION, "work", app, "semaphore", "each worker",
		"every thread");
	expect_advice(&r, SD_CAUSE_OVERSUBSCRIPTION, "work", app, "mutex", "as many processes",
		"threads");
	made_of = (struct sd_constructs){0};
	sd_config_free(&c);
	sd_advice_texts_free(&r);
}

/* The waits of threads for each other tell which of the two fits; a timer is no peer. */
static void advice_on_short_waits_knows_hand_overs_and_threads_that_are_made(void **state)
{
	static const char rows[] =
		"advice = ({ cause = \"lock-contention\"; when = \"handed > 0.5\"; text = \"hand\"; source = \"s\"; "
		"},{ cause = \"lock-contention\"; when = \"joined > 0.5\"; text = \"join\"; source = \"s\"; "
		"},{ cause = \"lock-contention\"; text = \"always\"; source = \"s\"; } );";
	static const struct {
		double condition, join, barrier, sleep, joins;
		const char *first;
	} row[] = {{2, 1, 0, 90, 1, "hand"}, {1, 3, 1, 90, 3000, "join"}, {1, 1, 3, 0, 1, "always"},
		{0, 0, 0, 5, 0, "always"},
		/* a main thread that waits for its threads once, while these meet at a barrier */
		{0, 9, 1, 0, 1, "always"},
		/* while these wake each other */
		{3, 9, 1, 0, 1, "hand"}};
	struct sd_advice_texts r = {0};

	(void)state;
	assert_int_equal(sd_advice_texts_add(&r, "t.conf", rows, strlen(rows), NULL), 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_use use[] = {{.activity = SD_ACTIVITY_CONDITION,
					       .seconds = row[i].condition,
					       .count = 1000 * row[i].condition},
			{.activity = SD_ACTIVITY_JOIN,
				.seconds = row[i].join,
				.count = row[i].joins},
			{.activity = SD_ACTIVITY_BARRIER,
				.seconds = row[i].barrier,
				.count = 1000 * row[i].barrier},
			{.activity = SD_ACTIVITY_SLEEP, .seconds = row[i].sleep}};
		struct sd_run run = {.sampled = {.status = SD_STATUS_OK, .use = use, .n_use = 4}};
		const struct sd_run *runs = &run;
		struct made m;
		struct sd_texts *t;

		make(&m, "mutex");
		t = &m.a.finding[SD_CAUSE_LOCK_CONTENTION].advice;
		m.last.run = &runs;
		m.last.n_run = 1;
		m.spread.now = &m.last;
		sd_advice_texts_fill(&m.c, &r);
		assert_string_equal(t->text[0], row[i].first);
		sd_texts_free(t);
	}
	sd_advice_texts_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_advice_is_refused_with_its_line),
		cmocka_unit_test(
			the_programs_own_advice_reads_and_has_something_for_the_papers_causes),
		cmocka_unit_test(advice_comes_with_its_evidence_only),
		cmocka_unit_test(advice_names_the_caller),
		cmocka_unit_test(a_library_is_no_place_to_change),
		cmocka_unit_test(advice_fits_the_construct),
		cmocka_unit_test(advice_on_short_waits_knows_hand_overs_and_threads_that_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
