#include "support/measure_fakes.h"

#include "launch/command_words.h"

static void words_are_split_as_a_shell_would(void **state)
{
	static const struct {
		const char *text, *word[5];
	} row[] = {
		{"one", {"one"}},
		{"  one\ttwo\n three ", {"one", "two", "three"}},
		{"'a b' c", {"a b", "c"}},
		{"a' 'b\" \"c", {"a b c"}},
		{"'' \"\"", {"", ""}},
		{"a\\ b \\'c", {"a b", "'c"}},
		{"\"a\\\"b\\$c\\\\d\\e\"", {"a\"b$c\\d\\e"}},
		{"'$HOME *' \\*", {"$HOME *", "*"}},
		{"a#b a~b", {"a#b", "a~b"}},
		{"x={n} {n}", {"x={n}", "{n}"}},
		{"sh -c 'a; b | c'", {"sh", "-c", "a; b | c"}},
		{"\xff\xfe", {"\xff\xfe"}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char **words;
		size_t n = 0;

		assert_int_equal(sd_command_words_split(row[i].text, "--x", &words, NULL), 0);
		for (; row[i].word[n]; n++) {
			assert_non_null(words[n]);
			assert_string_equal(words[n], row[i].word[n]);
		}
		assert_null(words[n]);
		sd_command_words_free(words);
	}
}

static void what_only_a_shell_understands_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "empty"},
		{" \t", "empty"},
		{"'a", "' is not closed"},
		{"\"a", "\" is not closed"},
		{"\"a\\", "\" is not closed"},
		{"a\\", "backslash"},
		{"a; b", "shell"},
		{"a | b", "shell"},
		{"a > b", "shell"},
		{"a && b", "shell"},
		{"rm *.o", "shell"},
		{"rm ?", "shell"},
		{"cd ~", "shell"},
		{"a # b", "shell"},
		{"echo $HOME", "shell"},
		{"echo \"$HOME\"", "shell"},
		{"echo \"`a`\"", "shell"},
		{"echo (a)", "shell"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct said said = {0};
		const struct sd_sink sink = {.emit = hear_said, .ctx = &said};
		char **words = (char **)&said;

		assert_int_equal(
			sd_command_words_split(row[i].text, "--x", &words, &sink), -EINVAL);
		assert_null(words);
		assert_int_equal(said.n, 1);
		if (!strstr(said.text, row[i].says) || !strstr(said.text, "--x"))
			fail_msg("'%s' said: %s", row[i].text, said.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_split_as_a_shell_would),
		cmocka_unit_test(what_only_a_shell_understands_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
