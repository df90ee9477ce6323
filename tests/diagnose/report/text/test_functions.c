/*
 * Functions, locks and source lines in the report: golden pages, and names that try to do harm.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/folded_text.h"
#include "support/make_analysis.h"
#include "page/short_names.h"
#include "page/page.h"

static struct sd_where where(
	const char *function, const char *file, unsigned line, const char *in, double share)
{
	return (struct sd_where){.function = function ? strdup(function) : NULL,
		.file = file ? strdup(file) : NULL,
		.module = strdup("/home/u/stencil"),
		.in = in ? strdup(in) : NULL,
		.line = line,
		.share = share};
}

static struct sd_loss_row *add_row(
	struct sd_analysis *a, struct sd_where at, double growth, double serial)
{
	struct sd_loss_row *r = &a->losses.row[a->losses.n_row++];

	*r = (struct sd_loss_row){.at = at, .own = 1};
	r->cost[SD_COST_GROWTH] = growth;
	r->cost[SD_COST_SERIAL] = serial;
	r->total = make_half(growth + serial, .03);
	r->exclusive = make_half(growth + serial, .03);
	r->inclusive = make_half(growth + serial, .03);
	return r;
}

/* The stencil with samples: three functions, a lock, calls and contexts. */
static void make_sampled(struct sd_record *r, struct sd_analysis *a, const char *name)
{
	struct sd_losses *l = &a->losses;

	make_stencil(r, a);
	l->row = make_zeroed(4, sizeof *l->row);
	add_row(a, where(name, "/home/u/src/stencil.c", 88, "memcpy", 0), 2.64, 0);
	add_row(a, where("init", "/home/u/src/init.c", 12, NULL, 0), .01, 1.21);
	add_row(a, where(NULL, NULL, 0, NULL, 0), 1.08, 0);
	add_row(a, where("main", "/home/u/src/main.c", 3, NULL, 0), .001, 0)->inclusive =
		make_half(4.9, .1);
	l->rest[SD_COST_GROWTH] = .02;
	l->unknown[SD_COST_SERIAL] = -.03;
	l->line = make_zeroed(2, sizeof *l->line);
	l->n_line = 2;
	l->line[0] = (struct sd_loss_line){0, 88, 2.5};
	l->line[1] = (struct sd_loss_line){0, 87, .14};
	l->call = make_zeroed(2, sizeof *l->call);
	l->n_call = 2;
	l->call[0] = (struct sd_loss_call){3, 0, 2.64};
	l->call[1] = (struct sd_loss_call){3, 1, 1.22};
	l->path = make_zeroed(3, sizeof *l->path);
	l->n_path = 3;
	l->path[0] = (struct sd_loss_path){strdup("main;relax;memcpy"), 1.4};
	/* at another instruction of the same functions; and a recursion */
	l->path[1] = (struct sd_loss_path){strdup("main;a;b;c;d;d;d;d;d;d;d;d;d;e;f;g"), 1.1};
	l->path[2] = (struct sd_loss_path){strdup("main;relax;memcpy"), 1};
	a->lock = make_zeroed(1, sizeof *a->lock);
	a->n_lock = 1;
	a->n_lock_seen = 3;
	a->lock[0] = (struct sd_lock_row){.name = strdup("queue_lock"),
		.kind = "mutex",
		.waits = 12345,
		.wait_s = 3.25,
		.longest_s = .0123,
		.cores = make_half(.84, .02),
		.busy = SD_OK(.91)};
	a->lock[0].holder = make_zeroed(1, sizeof(struct sd_where));
	a->lock[0].n_holder = 1;
	a->lock[0].holder[0] = where("push", "/home/u/src/queue.c", 41, NULL, .75);
	a->threads = (struct sd_busiest_threads){.together = make_zeroed(3, sizeof(double)),
		.n_together = 3,
		.by_switches = 1,
		.alone = make_zeroed(1, sizeof(struct sd_where)),
		.n_alone = 1,
		.row = make_zeroed(2, sizeof(struct sd_thread_row)),
		.n_row = 2,
		.n_seen = 9};
	a->threads.together[0] = .002;
	a->threads.together[1] = .25;
	a->threads.together[2] = .748;
	a->threads.alone[0] = where("relax", "/home/u/src/stencil.c", 88, NULL, .9);
	a->threads.row[0] = (struct sd_thread_row){41, "sten\033cil", 2, 3, 0, 1.5, 1.4, .6};
	a->threads.row[1] = (struct sd_thread_row){42, "worker", 0, 0, 0, 1, 2, .4};
	a->sampling = (struct sd_sampling){.status = SD_STATUS_OK,
		.switch_stacks = SD_STATUS_DENIED,
		.kernel = SD_STATUS_DENIED,
		.wakers = SD_STATUS_OK,
		.idle = 1,
		.hz_least = 499,
		.sample_s = SD_OK(8.9e-6),
		.hz_most = 997,
		.samples = 123456,
		.lost = 12,
		.unwound = SD_OK(.99),
		.cost = SD_OK(.004)};
}

static void the_functions_the_lines_and_the_locks_are_shown(void **state)
{
	static char above[] = "\tfor (i = 0; i < n; i++)", hot[] = "\t\ta[i] = b[i];", end[] = "}";
	char *line[] = {above, hot, end};
	const struct sd_source source[] = {
		{.row = 0, .state = SD_SOURCE_READ, .first = 87, .line = line, .n = 3},
		{.row = 1, .state = SD_SOURCE_NEWER},
	};
	struct sd_report_style s = {.width = 100, .source = source, .n_source = 2};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_sampled(&r, &a, "relax");
	text = make_report(sd_report_text(out, &r, &a, &s));
	check_golden("functions.txt", text);
	assert_non_null(strstr(text, "relax() stencil.c:88, in memcpy()"));
	assert_non_null(strstr(text, ">   2.50     88      a[i] = b[i];"));
	assert_non_null(strstr(text, "init.c: changed after the program was built"));
	assert_non_null(strstr(text, "holder  push() queue.c:41, 75 %"));
	assert_non_null(strstr(text, "499 to 997 a second and core, 123456 in all, 12 lost"));
	/* lines are wrapped anywhere */
	assert_non_null(strstr(text, "not sampled"));
	free(text);
	s.all = 1;
	text = make_report(sd_report_text(out, &r, &a, &s));
	check_golden("functions-long.txt", text);
	assert_non_null(strstr(text, "2.40  main > relax > memcpy"));
	assert_non_null(
		strstr(text, "1.10  main > a > b > c > … 6 more … > d > d > d > e > f > g"));
	/* each call once */
	assert_non_null(strstr(text, "2.64  main() -> relax() stencil.c:88"));
	assert_null(strstr(text, "Callees"));
	free(text);
	text = make_report(sd_report_json(out, &r, &a));
	check_golden("functions.json", text);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Columns of the longest line. */
static size_t widest(const char *text)
{
	size_t most = 0;

	while (*text) {
		const size_t n = strcspn(text, "\n");
		char line[1024] = "";

		assert_true(n < sizeof line);
		memcpy(line, text, n);
		most = sd_page_columns(line) > most ? sd_page_columns(line) : most;
		text += n + (text[n] == '\n');
	}
	return most;
}

static void what_was_seen_in_windows_is_called_an_estimate(void **state)
{
	struct sd_report_style s = {.width = 1000};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_sampled(&r, &a, "relax");
	a.sampling.unwatched = .72;
	text = make_report(sd_report_text(out, &r, &a, &s));
	assert_non_null(strstr(text, "in windows of 10 ms, down to 28 % of a run"));
	assert_non_null(strstr(text, "; estimated, and the longest of what was seen)"));
	free(text);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void no_name_breaks_the_page_or_reaches_the_terminal(void **state)
{
	static char longest[70000];
	const char *const names[] = {
		"\033[31mred\r\n",
		"caf\xe9\xff\xfe",
		"\xe2\x80\xaetxt.exe",
		"<<<<((((",
		"operator",
		"",
		longest,
		"std::map<std::string, std::vector<std::pair<int, Foo>>>::operator[](std::string "
		"const&)",
	};

	(void)state;
	memset(longest, 'x', sizeof longest - 1);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (unsigned width = 60; width < 140; width += 13) {
			const struct sd_report_style s = {.width = width};
			struct sd_record r;
			struct sd_analysis a;
			char *text;

			make_sampled(&r, &a, names[i]);
			text = make_report(sd_report_text(out, &r, &a, &s));
			for (const char *p = text; *p; p++)
				assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
			assert_null(strstr(text, "\xe2\x80\xae"));
			if (widest(text) > width)
				fail_msg("%zu columns of %u:\n%s", widest(text), width, text);
			free(text);
			sd_record_free(&r);
			sd_analysis_free(&a);
		}
}

static void names_are_short_in_tables(void **state)
{
	static const struct {
		const char *whole, *shown;
	} row[] = {
		{"relax", "relax()"},
		{"relax(int, double*)", "relax()"},
		{"main._omp_fn.0", "parallel region in main()"},
		{"sweep(double*, int) [clone ._omp_fn.1]", "parallel region in sweep()"},
		{"main._omp_fn.0 [imb.c:7]", "parallel region at imb.c:7"},
		{"sweep(double*, int) [clone ._omp_fn.1] [sweep.cpp:12]",
			"parallel region at sweep.cpp:12"},
		{".omp_outlined..2 [imb.c:7]", "parallel region at imb.c:7"},
		{"MAIN__._omp_fn.0 []", "parallel region in main program"},
		{"step.omp_outlined_debug__", "parallel region in step()"},
		{".omp_outlined.", "parallel region"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)",
			"std::vector<…>::push_back()"},
		{"operator new(unsigned long)", "operator new()"},
		{"operator new(unsigned long)@plt", "operator new()@plt"},
		{"malloc@plt", "malloc()@plt"},
		{"A<int>::operator()(int) const", "A<…>::operator()()"},
		{"A::operator<(A const&)", "A::operator<()"},
		{"A::operator-><int>()", "A::operator-><…>()"},
		{"(anonymous namespace)::f(int)", "(anonymous namespace)::f()"},
		{"main::{lambda(int)#1}::operator()(int) const", "lambda in main()"},
		{"main(int, char**)::<lambda(int)>::operator()", "lambda in main()"},
		{"a::run(int)::$_0::operator()() const", "lambda in a::run()"},
		{"std::thread::_Impl<main::{lambda()#1}>::_M_run()",
			"std::thread::_Impl<…>::_M_run()"},
		{"void __invoke<main()::<lambda()> >(main()::<lambda()>)", "__invoke<…>()"},
		{"bool std::operator< <char, int>(S<char> const&)", "std::operator< <…>()"},
		{"unsigned long (anonymous namespace)::f<int>(int)",
			"(anonymous namespace)::f<…>()"},
		{"decltype(auto) g<int>(int)", "g<…>()"},
		{"team_run.constprop.0", "team_run()"},
		{"finish_task_switch.isra.0", "finish_task_switch()"},
		{"f.part.0.cold", "f()"},
		{"a.parts.b", "a.parts.b()"},
		{"__GI___lll_lock_wake", "__lll_lock_wake()"},
		{"app::main::{{closure}}::{{closure}}", "closure in app::main()"},
		{"std::rt::lang_start_internal::{closure#0}",
			"closure in std::rt::lang_start_internal()"},
		{"<app::Slow as app::Score>::score", "app::Slow::score()"},
		{"<alloc::vec::IntoIter<T,A> as core::iter::Iterator>::fold",
			"alloc::vec::IntoIter::fold()"},
		{"<&dyn core::ops::Fn<(), Output = i32> as core::ops::FnOnce<()>>::call_once",
			"core::ops::Fn::call_once()"},
		{"std::panicking::catch_unwind::<i32, &dyn F>",
			"std::panicking::catch_unwind::<…>()"},
		{"__grid_mod_MOD_norm", "grid_mod::norm()"},
		{"__grid_mod_MOD_relax._omp_fn.0", "parallel region in grid_mod::relax()"},
		{"grid_mod_mp_norm_", "grid_mod::norm()"},
		{"_QMgrid_modPnorm", "grid_mod::norm()"},
		{"MAIN__", "main program"},
		{"MAIN__._omp_fn.0", "parallel region in main program"},
		{"sync.(*Mutex).lockSlow", "sync.(*Mutex).lockSlow()"},
		{"main.(*pool).run.func1", "main.(*pool).run.func1()"},
		{"github.com/a-b/c/vendor/gopkg.in/yaml%2ev3.(*decoder).mapping",
			"yaml.v3.(*decoder).mapping()"},
		{"example.com/x/map/v2.(*D).decode", "map/v2.(*D).decode()"},
		{"x/v12.run", "x/v12.run()"},
		{"example.com/vt.run", "vt.run()"},
		{"example.com/x.Sort[go.shape.[]example.com/y.T]", "x.Sort[…]()"},
		/* no packages: a quotient, and files that hold the function */
		{"operator/(A const&, int)", "operator/()"},
		{"N::operator/", "N::operator/()"},
		{"py::Thread.run:/usr/lib/python3.12/threading.py", "Thread.run() threading.py"},
		{"py::<module>:/srv/app.py", "<module> app.py"},
		{"py::main.<locals>.<listcomp>:/srv/app.py", "comprehension in main() app.py"},
		{"py::A.f.<locals>.<listcomp>.<genexpr>:/srv/app.py", "generator in A.f() app.py"},
		{"py::main.<locals>.inner:/srv/app.py", "main.<locals>.inner() app.py"},
		{"LazyCompile:*run /srv/app.js:12:3", "run() app.js:12"},
		{"JS:^sweep /srv/job.js:3:15", "sweep() job.js:3"},
		{"JS:^ /srv/job.js:12:28", "anonymous function job.js:12"},
		{"int Job.collatz(long)", "Job.collatz()"},
		{"void Job.lambda$main$0(int, int)", "Job.lambda$main$0()"},
		{"StubRoutines (1)", "StubRoutines()"},
		{"f(*)", "f()"},
		{"core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place<…>()"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *shown = sd_name_function(row[i].whole);

		assert_string_equal(shown, row[i].shown);
		free(shown);
	}
}

static void the_file_stands_once(void **state)
{
	char function[] = "py::main:/srv/app.py", script[] = "JS:*run /srv/app.js:12:3";
	char file[] = "/srv/app.py", other[] = "/srv/app.js", jit[] = "[jit]";
	const struct {
		struct sd_where where;
		const char *shown;
	} row[] = {
		{{.function = function, .file = file, .line = 7, .module = jit}, "main() app.py:7"},
		{{.function = function, .file = file, .module = jit}, "main() app.py"},
		{{.function = function, .module = jit}, "main() app.py"},
		{{.function = function, .file = other, .line = 7}, "main() app.py app.js:7"},
		{{.function = script, .module = jit}, "run() app.js:12"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *const shown = sd_name_place(&row[i].where, 80);

		assert_string_equal(shown, row[i].shown);
		free(shown);
	}
}

static void folded_stacks_are_lines_of_a_name_and_counts(void **state)
{
	static char evil[] = "main;e\033vil\n", work[] = "main;work", tiny[] = "main;tiny";
	struct sd_fold_stacks row[] = {{evil, 0, 3}, {work, 1000.4, 2500.6}, {tiny, .1, .2}};
	const struct sd_folded_stacks folded = {.row = row, .n = 3};
	const struct sd_report_style s = {.folded = &folded};
	char *one, *both;

	(void)state;
	one = make_report(sd_folded_text(out, NULL, NULL, &s));
	both = make_report(sd_folded_text_diff(out, NULL, NULL, &s));
	assert_string_equal(one, "main;e\\x1bvil\\x0a 3\nmain;work 2501\n");
	assert_string_equal(both, "main;e\\x1bvil\\x0a 0 3\nmain;work 1000 2501\n");
	free(one);
	free(both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_functions_the_lines_and_the_locks_are_shown),
		cmocka_unit_test(what_was_seen_in_windows_is_called_an_estimate),
		cmocka_unit_test(no_name_breaks_the_page_or_reaches_the_terminal),
		cmocka_unit_test(names_are_short_in_tables),
		cmocka_unit_test(the_file_stands_once),
		cmocka_unit_test(folded_stacks_are_lines_of_a_name_and_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
