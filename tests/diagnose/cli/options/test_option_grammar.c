#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "options/option_grammar.h"

static const struct argp_option more[] = {{"help", 'h', NULL, 0, "", 0}, {0}};
static const struct argp child = {.options = more};
static const struct argp_child children[] = {{&child, 0, NULL, 0}, {0}};
static const struct argp_option options[] = {
	{"cores", 'c', "LIST", 0, "", 0},
	{"keep", 300, "FOLDER", OPTION_ARG_OPTIONAL, "", 0},
	{"long", 'l', NULL, 0, "", 0},
	{0},
};
static const struct argp argp = {.options = options, .children = children};

static void each_word_is_what_getopt_takes_it_for(void **state)
{
	static const struct {
		int in_order;
		const char *words[6];
		enum sd_word is[6];
	} row[] = {
		{0, {"--cores", "1", "--long"}, {SD_WORD_OPTION, SD_WORD_VALUE, SD_WORD_OPTION}},
		{0, {"--cores=1", "x"}, {SD_WORD_OPTION, SD_WORD_ARGUMENT}},
		{0, {"--cor", "--long"}, {SD_WORD_OPTION, SD_WORD_VALUE}},
		{0, {"--keep", "x"}, {SD_WORD_OPTION, SD_WORD_ARGUMENT}},
		{0, {"-c", "--long"}, {SD_WORD_OPTION, SD_WORD_VALUE}},
		{0, {"-c1", "--long"}, {SD_WORD_OPTION, SD_WORD_OPTION}},
		{0, {"-lc", "1"}, {SD_WORD_OPTION, SD_WORD_VALUE}},
		{0, {"-lh", "1"}, {SD_WORD_OPTION, SD_WORD_ARGUMENT}},
		{0, {"-lx"}, {SD_WORD_UNKNOWN}},
		{0, {"--help"}, {SD_WORD_OPTION}},
		{0, {"--corse"}, {SD_WORD_UNKNOWN}},
		{0, {"x", "--corse"}, {SD_WORD_ARGUMENT, SD_WORD_UNKNOWN}},
		{1, {"x", "--corse"}, {SD_WORD_ARGUMENT, SD_WORD_ARGUMENT}},
		{1, {"--long", "--", "--corse"},
			{SD_WORD_OPTION, SD_WORD_ARGUMENT, SD_WORD_ARGUMENT}},
		{0, {"-", "--long"}, {SD_WORD_ARGUMENT, SD_WORD_OPTION}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_option_grammar g = {.argp = &argp, .in_order = row[i].in_order};

		for (size_t k = 0; row[i].words[k]; k++)
			if (sd_option_grammar_next(&g, row[i].words[k]) != row[i].is[k])
				fail_msg("row %zu, word %zu", i, k);
	}
}

static void an_option_is_found_by_its_whole_name(void **state)
{
	(void)state;
	assert_ptr_equal(sd_option_grammar_find(&argp, "cores=1", 5), &options[0]);
	assert_ptr_equal(sd_option_grammar_find(&argp, "help", 4), &more[0]);
	assert_null(sd_option_grammar_find(&argp, "core", 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_is_what_getopt_takes_it_for),
		cmocka_unit_test(an_option_is_found_by_its_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
