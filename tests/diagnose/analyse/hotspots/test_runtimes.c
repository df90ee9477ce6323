/*
 * Whose code it is: languages by the files and functions of stacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advice/advice_texts.h"
#include "base/configs.h"
#include "hotspots/code_places.h"
#include "hotspots/others_code.h"
#include "hotspots/runtimes.h"
#include "support/analyse_record.h"
#include "support/make_samples.h"

static const char libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6", jit[] = "[jit]";

static void a_file_or_a_function_tells_the_language(void **state)
{
	static const struct {
		const char *function, *module;
		unsigned bit;
	} rows[] = {
		{"runtime.goexit.abi0", "/home/me/server", SD_RUNTIME_BIT(GO)},
		{"start_thread", "/usr/lib/jvm/java-17/lib/server/libjvm.so", SD_RUNTIME_BIT(JAVA)},
		{"uv_run", "/opt/node-20/bin/node", SD_RUNTIME_BIT(NODE)},
		{"coreclr_execute_assembly",
			"/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so",
			SD_RUNTIME_BIT(DOTNET)},
		{"_PyEval_EvalFrameDefault", "/home/me/.pyenv/bin/python3.11",
			SD_RUNTIME_BIT(PYTHON)},
		{"bcEval", "/usr/lib/R/lib/libR.so", SD_RUNTIME_BIT(R)},
		{"std::sys::backtrace::__rust_begin_short_backtrace", "/home/me/app",
			SD_RUNTIME_BIT(RUST)},
		{"main", "/home/me/app", 0},
		{"runtime", "/home/me/app", 0},
		{"main", "/home/me/nodes", 0},
		{"main", "/home/me/perlin", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r = {0};

		make_call(&r, make_call(&r, 0, rows[i].function, "", 0, rows[i].module), "work",
			"a.c", 1, "/home/me/lib/other.so");
		make_call(&r, 0, "read", "", 0, libc);
		assert_int_equal(sd_runtimes_of(&r.stacks, rows[i].module), rows[i].bit);
		/* code of the system, and what was made while it ran, is of whoever is there */
		assert_int_equal(sd_runtimes_of(&r.stacks, libc), rows[i].bit);
		assert_int_equal(sd_runtimes_of(&r.stacks, jit), rows[i].bit);
		assert_int_equal(sd_runtimes_of(&r.stacks, NULL), rows[i].bit);
		/* a library of the user's beside it may be of any language */
		assert_int_equal(sd_runtimes_of(&r.stacks, "/home/me/lib/other.so"), 0);
		sd_record_free(&r);
	}
}

static void names_are_told_where_a_runtime_tells_them(void **state)
{
	static const char node[] = "/opt/node/bin/node", old[] = "/usr/bin/python3.9",
			  new[] = "/usr/bin/python3.13", java[] = "/usr/lib/jvm/libjvm.so";
	struct sd_runtime_names names = {0};
	struct sd_record r = {0};

	(void)state;
	make_call(&r, 0, "main", "a.c", 1, "/home/me/app");
	assert_int_equal(sd_runtimes_names(&r.stacks, "/home/me/app", &names), 0);
	assert_int_equal(sd_runtimes_names(&r.stacks, jit, &names), 0);
	make_call(&r, 0, "start_thread", "", 0, java);
	assert_int_equal(sd_runtimes_names(&r.stacks, jit, &names), 1);
	assert_non_null(strstr(names.variable, names.asked));
	/* its own functions are nobody's stand-in */
	assert_int_equal(sd_runtimes_names(&r.stacks, java, &names), 0);
	assert_int_equal(sd_runtimes_names(&r.stacks, libc, &names), 0);
	/* an interpreter's are */
	assert_int_equal(sd_runtimes_names(&r.stacks, node, &names), 1);
	assert_non_null(strstr(names.variable, names.asked));
	assert_int_equal(sd_runtimes_names(&r.stacks, new, &names), 1);
	assert_non_null(names.variable);
	assert_int_equal(sd_runtimes_names(&r.stacks, old, &names), 1);
	assert_null(names.variable);
	/* a name without a version: its modules say which */
	assert_int_equal(sd_runtimes_names(&r.stacks, "/usr/bin/python3", &names), 1);
	assert_non_null(names.variable);
	make_call(&r, 0, "add", "", 0,
		"/usr/lib/python3/dist-packages/m.cpython-311-x86_64-linux-gnu.so");
	assert_int_equal(sd_runtimes_names(&r.stacks, "/usr/bin/python3", &names), 1);
	assert_null(names.variable);
	sd_record_free(&r);
}

static void methods_of_dotnet_are_named_by_its_map(void **state)
{
	struct sd_runtime_names names = {0};
	struct sd_record r = {0};

	(void)state;
	make_call(&r, 0, "coreclr_execute_assembly", "", 0, "/opt/dotnet/libcoreclr.so");
	assert_int_equal(sd_runtimes_names(&r.stacks, jit, &names), 1);
	assert_string_equal(names.variable, "DOTNET_PerfMapEnabled=1");
	assert_non_null(strstr(names.variable, names.asked));
	sd_record_free(&r);
}

/* Code without a name that was made by what this library runs. */
static unsigned make_nameless(struct sd_record *r, const char *runtime)
{
	struct sd_frame f = {.offset = 4096};
	unsigned number = 0, node = 0;

	if (sd_stacks_text(&r->stacks, jit, &f.module) ||
		sd_stacks_frame(&r->stacks, &f, &number) ||
		sd_stacks_node(
			&r->stacks, make_call(r, 0, "start_thread", "", 0, runtime), number, &node))
		abort();
	return node;
}

/* The name of nameless code is the next thing to ask for, unless it was asked for. */
static void the_next_step_for_code_without_names_is_to_name_it(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample two = {.wall = 8, .user = 10, .idle = {[SD_IDLE_SERIAL] = 6}};
	static const struct {
		const char *runtime, *argument, *attached, *next, *not ;
	} rows[] = {
		{"/usr/lib/jvm/libjvm.so", NULL, NULL, "JAVA_TOOL_OPTIONS", "--experiments"},
		{"/usr/lib/jvm/libjvm.so", "-XX:+DumpPerfMapAtExit", NULL, NULL,
			"JAVA_TOOL_OPTIONS"},
		{"/usr/lib/jvm/libjvm.so", NULL, "java", "jcmd PID", "--experiments"},
		{"/opt/node/bin/node", NULL, "node", "start it with NODE_OPTIONS", "--experiments"},
		{"/home/me/own_jit", NULL, NULL, "/tmp/perf-PID.map", "--experiments"},
		{"/home/me/own_jit", "--perfmap", NULL, NULL, "/tmp/perf-PID.map"},
	};

	(void)state;
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned node;

		record_make(&r, cores, 2);
		if (rows[row].argument)
			assert_int_equal(
				sd_texts_add(&r.program.argv, "%s", rows[row].argument), 0);
		r.program.attached = rows[row].attached ? strdup(rows[row].attached) : NULL;
		node = make_nameless(&r, rows[row].runtime);
		for (int i = 0; i < 6; i++) {
			const double k = 1 + .001 * i;

			make_use(record_sample(&r, 0, &one, k), node, SD_ACTIVITY_USEFUL, 10 * k);
			*make_use(record_sample(&r, 1, &two, k), node, SD_ACTIVITY_USEFUL, 10 * k) =
				(struct sd_use){.node = node,
					.activity = SD_ACTIVITY_USEFUL,
					.seconds = 10 * k,
					.count = 1000,
					.solo = 6 * k,
					.blame = 6 * k,
					.blame_serial = 6 * k};
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		assert_int_equal(f->n_where, 1);
		print_message("%s: %s\n", rows[row].runtime, f->next ? f->next : "nothing");
		if (rows[row].next)
			assert_true(f->next && strstr(f->next, rows[row].next));
		assert_false(f->next && strstr(f->next, rows[row].not ));
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* 6 of 8 core-s wait while a monitor's functions, which nobody is seen to call, or the program's
 * method runs. */
static void callers_of_what_comes_with_java_are_asked_for_next(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample two = {.wall = 8, .user = 10, .idle = {[SD_IDLE_SERIAL] = 6}};
	static const char libjvm[] = "/usr/lib/jvm/libjvm.so";
	static const struct {
		const char *function, *module, *argument;
		int asks;
	} rows[] = {
		{"ObjectMonitor::TrySpin(JavaThread*)", libjvm, NULL, 1},
		{"void sun.security.provider.NativePRNG$RandomIO.implNextBytes(byte[])", jit, NULL,
			1},
		{"void sun.security.provider.NativePRNG$RandomIO.implNextBytes(byte[])", jit,
			"-XX:+PreserveFramePointer", 0},
		{"long Ids.work(int)", jit, NULL, 0},
	};

	(void)state;
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned node;

		record_make(&r, cores, 2);
		if (rows[row].argument)
			assert_int_equal(
				sd_texts_add(&r.program.argv, "%s", rows[row].argument), 0);
		make_call(&r, 0, "JavaMain", "", 0, libjvm);
		node = make_call(&r, 0, rows[row].function, NULL, 0, rows[row].module);
		for (int i = 0; i < 6; i++) {
			const double k = 1 + .001 * i;
			struct sd_use *u;

			make_use(record_sample(&r, 0, &one, k), node, SD_ACTIVITY_USEFUL, 10 * k);
			u = make_use(
				record_sample(&r, 1, &two, k), node, SD_ACTIVITY_USEFUL, 10 * k);
			u->solo = u->blame = u->blame_serial = 6 * k;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		print_message("%s: %s\n", rows[row].function, f->next ? f->next : "nothing");
		assert_int_equal(f->next && strstr(f->next, "+PreserveFramePointer' PROGRAM"),
			rows[row].asks);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* A growth that several causes share, all of it in code without a name: no experiment is worth more
 * than the name. */
static void a_growth_in_nameless_code_asks_for_its_name_first(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample two = {.wall = 8, .user = 16};
	struct sd_record r;
	struct sd_analysis a;
	unsigned node, open = 0;

	(void)state;
	record_make(&r, cores, 2);
	node = make_nameless(&r, "/usr/lib/jvm/libjvm.so");
	for (int i = 0; i < 6; i++) {
		const double k = 1 + .001 * i;

		make_use(record_sample(&r, 0, &one, k), node, SD_ACTIVITY_USEFUL, 10 * k);
		make_use(record_sample(&r, 1, &two, k), node, SD_ACTIVITY_USEFUL, 16 * k);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a.finding[i];

		if (f->verdict != SD_VERDICT_POSSIBLE || !f->n_where)
			continue;
		open++;
		assert_non_null(f->next);
		assert_non_null(strstr(f->next, "JAVA_TOOL_OPTIONS"));
	}
	assert_true(open > 1);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* An interpreter's own functions are nobody's to change: advice does not name them, and its lock is
 * the advice only where threads wait for locks. */
static void an_interpreters_functions_are_told_as_its_own(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample two = {.wall = 8, .user = 10, .idle = {[SD_IDLE_SERIAL] = 6}};
	static const char *const files[] = {"/opt/python/bin/python3.11", "/home/me/app"};
	struct sd_advice_texts texts = {0};
	struct sd_config c;

	(void)state;
	assert_int_equal(sd_configs_get(NULL, "advice/remedies.conf", &c, NULL), 0);
	assert_int_equal(sd_advice_texts_add(&texts, c.name, c.text, c.size, NULL), 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned node;

		record_make(&r, cores, 2);
		node = make_call(&r, make_call(&r, 0, "run", "ceval.c", 7, files[i]), "eval",
			"ceval.c", 1817, files[i]);
		for (int k = 0; k < 6; k++) {
			const double by = 1 + .001 * k;
			struct sd_use *u;

			make_use(record_sample(&r, 0, &one, by), node, SD_ACTIVITY_USEFUL, 10 * by);
			u = make_use(
				record_sample(&r, 1, &two, by), node, SD_ACTIVITY_USEFUL, 10 * by);
			u->solo = u->blame = u->blame_serial = 6 * by;
		}
		assert_int_equal(sd_analyse(&r, NULL, &texts, &a), 0);
		f = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		assert_true(f->n_where > 0 && f->advice.n > 0);
		assert_int_equal(f->where[0].interpreter, i == 0);
		assert_int_equal(strstr(f->advice.text[0], "eval()") != NULL, i > 0);
		assert_null(strstr(f->advice.text[0], "interpreter"));
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	sd_config_free(&c);
	sd_advice_texts_free(&texts);
}

/* Code of others is not the place to change, wherever a package manager keeps it. */
static void packages_of_others_are_not_the_users_code(void **state)
{
	static const struct {
		const char *path;
		int others;
	} rows[] = {
		{"/home/me/.cargo/registry/src/index-1949cf8c/rayon-1.10.0/src/lib.rs", 1},
		{"/root/go/pkg/mod/github.com/a/b@v1.2.3/b.go", 1},
		{"/srv/shop/node_modules/express/lib/router.js", 1},
		{"/home/me/venv/lib/python3.12/site-packages/numpy/core/a.py", 1},
		{"/home/me/cargo/src/main.rs", 0},
		{"/home/me/go/src/shop/main.go", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(sd_others_code_is(rows[i].path), rows[i].others);
}

/* Compiled code that comes with the runtime is not the user's, who called it is. */
static void what_comes_with_a_runtime_is_not_the_users(void **state)
{
	static const struct {
		const char *function, *file, *module;
		int own;
	} rows[] = {
		{"_complete_monitor_locking_Java", NULL, jit, 0},
		{"monitorenter_nofpu Runtime1 stub", NULL, jit, 0},
		{"Interpreter", NULL, jit, 0},
		{"java.util.ArrayList.size", NULL, jit, 0},
		{"void java.util.concurrent.FutureTask.run()", NULL, jit, 0},
		{"int Shop.total(java.util.List)", NULL, jit, 1},
		{"postMessage", "node:internal/worker", jit, 0},
		{"JS:^postMessage node:internal/worker:382:14", NULL, jit, 0},
		{"JS:*get /srv/node_modules/lru/index.js:9:1", NULL, jit, 0},
		{"JS:*get /srv/cache.js:9:1", NULL, jit, 1},
		{"py::run:/usr/lib/python3.12/threading.py", NULL, jit, 0},
		{"py::run:/home/me/app.py", NULL, jit, 1},
		{"Shop.price", NULL, jit, 1},
		{"_price_Javanese", NULL, jit, 1},
		{"java.util.ArrayList.size", NULL, "/home/me/app", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_record r = {0};
		struct sd_code_places p;
		unsigned user, inner;
		char *name;

		user = make_call(&r, 0, "Shop.serve", NULL, 0, jit);
		inner = make_call(&r, user, rows[i].function, rows[i].file, 3, rows[i].module);
		assert_int_equal(sd_code_places_make(&p, &r.stacks, NULL), 0);
		name = r.stacks.text[p.function[p.spot[sd_code_places_spot(&p, inner)].function]
					     .name];
		assert_string_equal(name, rows[i].own ? rows[i].function : "Shop.serve");
		sd_code_places_free(&p);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_or_a_function_tells_the_language),
		cmocka_unit_test(names_are_told_where_a_runtime_tells_them),
		cmocka_unit_test(methods_of_dotnet_are_named_by_its_map),
		cmocka_unit_test(the_next_step_for_code_without_names_is_to_name_it),
		cmocka_unit_test(callers_of_what_comes_with_java_are_asked_for_next),
		cmocka_unit_test(a_growth_in_nameless_code_asks_for_its_name_first),
		cmocka_unit_test(an_interpreters_functions_are_told_as_its_own),
		cmocka_unit_test(what_comes_with_a_runtime_is_not_the_users),
		cmocka_unit_test(packages_of_others_are_not_the_users_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
