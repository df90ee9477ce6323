/* Code as it is called in sentences. */
#include "analysis/code_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_function_has_its_brackets_once(void **state)
{
	static const struct {
		const char *function;
		unsigned line;
		const char *text;
	} row[] = {
		{"solve", 12, "solve() a.cc:12"},
		{"solve", 0, "solve()"},
		{"grid::exchange(Halo const&)", 12, "grid::exchange(Halo const&) a.cc:12"},
		{"grid::size() const", 0, "grid::size() const"},
		{"(anonymous namespace)::step", 3, "(anonymous namespace)::step() a.cc:3"},
		{"py::Model.step:/src/a.cc", 12, "Model.step() a.cc:12"},
		{"py::<module>:/src/a.cc", 3, "<module> a.cc:3"},
		{"py::odd", 3, "py::odd() a.cc:3"},
		{"solve._omp_fn.0 [a.cc:7]", 7, "parallel region at a.cc:7"},
		{"solve._omp_fn.0 [a.cc:7]", 9, "parallel region at a.cc:7, line 9"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_stacks s = {0};
		struct sd_frame f = {.line = row[i].line};
		unsigned frame, node;
		char text[512];

		assert_int_equal(sd_stacks_text(&s, row[i].function, &f.function), 0);
		assert_int_equal(sd_stacks_text(&s, "/src/a.cc", &f.file), 0);
		assert_int_equal(sd_stacks_frame(&s, &f, &frame), 0);
		assert_int_equal(sd_stacks_node(&s, 0, frame, &node), 0);
		sd_code_place_text(&s, node, text, sizeof text);
		assert_string_equal(text, row[i].text);
		sd_stacks_free(&s);
	}
}

static void code_that_nobody_saw_has_no_name(void **state)
{
	const struct sd_stacks none = {0};
	char text[512];

	(void)state;
	sd_code_place_text(&none, 0, text, sizeof text);
	assert_string_equal(text, "unknown code");
	sd_code_place_text(&none, 7, text, sizeof text);
	assert_string_equal(text, "unknown code");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_its_brackets_once),
		cmocka_unit_test(code_that_nobody_saw_has_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
