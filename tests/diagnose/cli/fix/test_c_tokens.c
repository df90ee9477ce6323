/*
 * Words of C and C++: strings that hold anything, lines that go on, and the line that each word is
 * in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fix/c_tokens.h"

/* Each word with its line, a string as "S", a directive as "D". */
static void expect(const char *text, const char *words)
{
	struct sd_c_tokens t;
	char got[256] = "";

	assert_int_equal(sd_c_tokens_read(&t, text, strlen(text)), 0);
	for (size_t i = 0; i < t.n; i++) {
		const struct sd_c_token *const o = &t.token[i];
		const size_t used = strlen(got);

		if (o->kind == SD_C_STRING || o->kind == SD_C_DIRECTIVE)
			snprintf(got + used, sizeof got - used, "%s%c%u", i ? " " : "",
				o->kind == SD_C_STRING ? 'S' : 'D', o->line);
		else
			snprintf(got + used, sizeof got - used, "%s%.*s%u", i ? " " : "",
				(int)o->length, text + o->at, o->line);
	}
	sd_c_tokens_free(&t);
	if (strcmp(got, words) != 0)
		fail_msg("%s: %s, and not %s", text, got, words);
}

static void raw_strings_end_with_their_word_alone(void **state)
{
	(void)state;
	expect("a R\"(b \" \\ ; {\n#define c\n)\" d", "a1 S1 d3");
	expect("u8R\"x(y)\" )y\" // )x\" z", "S1 z1");
	expect("LR\"(a)\"UR\"(b)\"uR\"(c)\"", "S1 S1 S1");
	/* a name that ends with R, and a word that is too long for one */
	expect("fooR\"(a\" b", "fooR1 S1 b1");
	expect("R\"0123456789abcdefg(a\" b", "R1 S1 b1");
	expect("R\"(never\nends", "S1");
	expect("R\"", "R1 S1");
}

static void a_backslash_joins_lines_before_anything_else(void **state)
{
	(void)state;
	expect("// a \\\nint b;\nc", "c3");
	expect("// a \\\r\nint b;\nc", "c3");
	expect("\"a\\\nb\" c", "S1 c2");
	expect("\"a\\\r\nb\" c", "S1 c2");
	expect("na\\\nme x", "na\\\nme1 x2");
	/* what follows is no line that could begin a directive */
	expect("a \\\n# b", "a1 #2 b2");
	expect("#define A \\\n\tb\nc", "D1 c3");
	expect("a \\ b", "a1 b1");
	expect("a\\", "a1");
}

static void a_comment_in_a_directive_takes_its_lines_along(void **state)
{
	(void)state;
	expect("#define A /* b\n c */ d\ne", "D1 e3");
	expect("#define A \"/*\"\ne", "D1 e2");
	expect("#define A // b\ne", "D1 e2");
	expect("/* a */ # define b\nc", "D1 c2");
	expect("#error don't\ne", "D1 e2");
	expect("#define A /* never", "D1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_strings_end_with_their_word_alone),
		cmocka_unit_test(a_backslash_joins_lines_before_anything_else),
		cmocka_unit_test(a_comment_in_a_directive_takes_its_lines_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
