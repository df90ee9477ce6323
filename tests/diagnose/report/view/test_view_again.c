/*
 * The command that a report advises measures the program as it was measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/view.h"

static void expect(const struct sd_record *r, const char *next, const char *expected)
{
	const struct sd_analysis a = {0};
	struct sd_view v;
	char *text;

	assert_int_equal(sd_view_make(&v, r, &a, NULL), 0);
	text = sd_view_next(&v, next);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
	sd_view_free(&v);
}

static void the_next_command_has_the_options_of_the_runs(void **state)
{
	static const unsigned usual[] = {1, 2, 4, 6}, others[] = {2, 4, 6};
	static const char experiment[] = "scalediag --experiments allocator PROGRAM # and so on";

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct sd_record r = {.host.granted = 6, .plan.n_point = all ? 3 : 4};

		r.plan.point = calloc(r.plan.n_point, sizeof *r.plan.point);
		assert_non_null(r.plan.point);
		for (size_t i = 0; i < r.plan.n_point; i++)
			r.plan.point[i].cores = all ? others[i] : usual[i];
		assert_int_equal(sd_texts_add(&r.program.argv, "./app"), 0);
		assert_int_equal(sd_texts_add(&r.program.argv, "{n}"), 0);
		if (all) {
			r.program.scaling = SD_SCALING_WEAK;
			r.program.no_env = 1;
			assert_int_equal(sd_texts_add(&r.program.env, "THREADS={n}"), 0);
			r.program.prepare = strdup("rm -f out");
			r.program.rate = strdup("ops: ([0-9]+)");
		}
		expect(&r, experiment,
			all ? "scalediag --experiments allocator --cores 2,4,6 --weak --no-env "
			      "--env THREADS={n} --prepare 'rm -f out' --rate 'ops: ([0-9]+)' "
			      "./app {n} # and so on"
			    : "scalediag --experiments allocator ./app {n} # and so on");
		/* other tools have none of these options, and counts of ranks are said */
		expect(&r, "perf stat PROGRAM", "perf stat ./app {n}");
		expect(&r, "scalediag --ranks LIST mpirun -n {ranks} PROGRAM",
			"scalediag --ranks LIST mpirun -n {ranks} ./app {n}");
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_command_has_the_options_of_the_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
