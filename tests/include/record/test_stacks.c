/* The table of stacks: everything once, whatever the order, cut names, full tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/stacks.h"

static void the_same_text_has_one_number(void **state)
{
	struct sd_stacks s = {0};
	unsigned a, b, c, empty;

	(void)state;
	assert_int_equal(sd_stacks_text(&s, "main", &a), 0);
	assert_int_equal(sd_stacks_text(&s, "relax", &b), 0);
	assert_int_equal(sd_stacks_text(&s, "main", &c), 0);
	assert_int_equal(sd_stacks_text(&s, NULL, &empty), 0);
	assert_int_equal(a, c);
	assert_int_not_equal(a, b);
	assert_int_equal(empty, 0);
	assert_string_equal(s.text[b], "relax");
	sd_stacks_free(&s);
}

static void a_long_name_is_cut_at_a_character_and_says_so(void **state)
{
	static char name[3 * SD_STACKS_TEXT];
	struct sd_stacks s = {0};
	unsigned a, b;

	(void)state;
	for (size_t i = 0; i + 2 < sizeof name; i += 2)
		memcpy(name + i, "é", 2);
	assert_int_equal(sd_stacks_text(&s, name, &a), 0);
	assert_true(strlen(s.text[a]) <= SD_STACKS_TEXT);
	assert_string_equal(s.text[a] + strlen(s.text[a]) - strlen("é…"), "é…");
	assert_int_equal(sd_stacks_text(&s, name, &b), 0);
	assert_int_equal(a, b);
	sd_stacks_free(&s);
}

static void stacks_share_their_callers(void **state)
{
	struct sd_stacks s = {0};
	struct sd_frame f = {.line = 3};
	unsigned frame[2], caller, callee, again;

	(void)state;
	assert_int_equal(sd_stacks_text(&s, "main", &f.function), 0);
	assert_int_equal(sd_stacks_frame(&s, &f, &frame[0]), 0);
	f.inlined = 1;
	assert_int_equal(sd_stacks_frame(&s, &f, &frame[1]), 0);
	assert_int_not_equal(frame[0], frame[1]);
	assert_int_equal(sd_stacks_node(&s, 0, frame[0], &caller), 0);
	assert_int_equal(sd_stacks_node(&s, caller, frame[1], &callee), 0);
	assert_int_equal(sd_stacks_node(&s, caller, frame[1], &again), 0);
	assert_int_equal(callee, again);
	assert_true(caller > 0);
	assert_int_equal(s.node[callee].parent, caller);
	assert_int_equal(s.n_node, 3);
	sd_stacks_free(&s);
}

static void many_different_ones_are_found_again(void **state)
{
	struct sd_stacks s = {0};
	char name[32];
	unsigned first[5000], again;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "f%d", i);
		assert_int_equal(sd_stacks_text(&s, name, &first[i]), 0);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "f%d", i);
		assert_int_equal(sd_stacks_text(&s, name, &again), 0);
		assert_int_equal(again, first[i]);
		assert_string_equal(s.text[again], name);
	}
	sd_stacks_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_text_has_one_number),
		cmocka_unit_test(a_long_name_is_cut_at_a_character_and_says_so),
		cmocka_unit_test(stacks_share_their_callers),
		cmocka_unit_test(many_different_ones_are_found_again),
	};

	return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
