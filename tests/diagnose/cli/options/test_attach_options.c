/*
 * Windows of `attach`, by its command line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "options/attach_options.h"
#include "support/near.h"

/* Windows are as many as were asked for, or as the answer needs. */
static void a_look_whose_length_was_given_has_five_parts(void **state)
{
	static const struct {
		const char *words[4];
		unsigned repeats;
		double part_s;
	} row[] = {
		{{"attach", "4711"}, 0, 2},
		{{"attach", "--window=30", "4711"}, 5, 6},
		{{"attach", "--repeats=4", "4711"}, 4, 2.5},
		{{"attach", "--window=12", "--repeats=4", "4711"}, 4, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_attach_options o;
		char *argv[5] = {NULL};
		int argc = 0;

		for (; argc < 4 && row[i].words[argc]; argc++)
			argv[argc] = (char *)(uintptr_t)row[i].words[argc];
		assert_int_equal(sd_attach_options_parse(argc, argv, &o, NULL), 0);
		assert_int_equal(o.run.repeats, row[i].repeats);
		assert_near(o.part_s, row[i].part_s, 1e-9);
		assert_true(o.most_parts > 5);
		sd_attach_options_free(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_look_whose_length_was_given_has_five_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
