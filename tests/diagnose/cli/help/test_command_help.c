#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "help/command_help.h"
#include "help/manual_page.h"
#include "help/topics.h"
#include "options/option_grammar.h"
#include "options/run_options.h"

static const struct argp_option options[] = {
	{"format", 'f', "text|json", 0, "text is the default", 1},
	{"keep-samples", 300, "FOLDER", OPTION_ARG_OPTIONAL, "Keep them", 1},
	{0},
};
static const struct argp argp = {
	.options = options,
	.args_doc = "RECORD",
	.doc = "scalediag again does it again.\n\n.It may begin with a dot.\n\n"
	       "  scalediag again a.json\n  scalediag again -f json 'b\\c'\n\vAnd more below.\n",
	.children = sd_command_line_common,
};
static const struct sd_command commands[] = {
	{.name = "run",
		.summary = "diagnose",
		.argp = &sd_run_options_argp,
		.group = "Diagnose",
		.below = sd_run_options_below,
		.daily = sd_run_options_daily},
	{.name = "again", .summary = "and again", .argp = &argp},
	{0},
};
static const struct sd_cli cli = {.commands = commands};

static char *page_of(const char *name, int manual)
{
	char *page = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&page, &size);

	assert_non_null(f);
	if (manual)
		assert_int_equal(sd_manual_page(f, &cli, sd_command_help_find(&cli, name)), 0);
	else
		sd_command_help_print(f, &cli, sd_command_help_find(&cli, name));
	assert_int_equal(fclose(f), 0);
	return page;
}

static void expect_in_order(const char *page, const char *const *texts)
{
	const char *p = page;

	for (size_t i = 0; texts[i]; i++) {
		const char *const found = strstr(p, texts[i]);

		if (!found)
			fail_msg("not there, or not in its place: %s\n%s", texts[i], page);
		p = found;
	}
}

static void help_is_what_it_does_then_examples_lists_and_options(void **state)
{
	char *const run = page_of("run", 0), *const again = page_of("again", 0);

	(void)state;
	expect_in_order(
		run, (const char *const[]){"Find out why", "\n  scalediag ./app", "--cores=LIST",
			     "--help", "--version", "\nExperiments", "Exit status", NULL});
	expect_in_order(
		again, (const char *const[]){"does it again.", "\n  scalediag again a.json\n",
			       "--format=text|json", "--help", "And more below.\n", NULL});
	assert_null(strstr(again, "Mandatory or optional"));
	free(run);
	free(again);
}

static void a_manual_page_has_its_sections_and_escapes(void **state)
{
	char *const page = page_of("again", 1);

	(void)state;
	expect_in_order(page,
		(const char *const[]){".TH SCALEDIAG\\-AGAIN 1 ",
			".SH NAME\nscalediag\\-again \\-\nand again\n", ".SH SYNOPSIS\n",
			"\\fIRECORD\\fR", ".SH DESCRIPTION\n", "\n\\&.It may begin",
			".SH EXAMPLES\n", "scalediag again \\-f json 'b\\ec'\n", ".SH OPTIONS\n",
			"\\fB\\-f\\fR, \\fB\\-\\-format\\fR=\\fItext|json\\fR\n",
			"\\fB\\-\\-keep\\-samples\\fR[=\\fIFOLDER\\fR]", "\\fB\\-\\-help",
			".SH NOTES\nAnd more below.\n", ".SH SEE ALSO", NULL});
	free(page);
}

/* The daily options are the command's, and each is a line of its short help. */
static void a_short_help_has_the_daily_options(void **state)
{
	char *page = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&page, &size);

	(void)state;
	assert_non_null(f);
	sd_command_help_brief(f, &cli, &commands[0]);
	assert_int_equal(fclose(f), 0);
	for (const struct sd_daily_option *d = sd_run_options_daily; d->name; d++) {
		if (!sd_option_grammar_find(&sd_run_options_argp, d->name, strlen(d->name)))
			fail_msg("--%s: no option of run", d->name);
		assert_non_null(strstr(page, d->text));
	}
	assert_non_null(strstr(page, "--help=all"));
	free(page);
}

/* Every command stands below the heading of its group. */
static void the_first_page_lists_commands_in_groups(void **state)
{
	char *page = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&page, &size);

	(void)state;
	assert_non_null(f);
	sd_command_help_first(f, &cli);
	assert_int_equal(fclose(f), 0);
	expect_in_order(page, (const char *const[]){"Find out why", "\n  scalediag ./app",
				      "\nDiagnose:\n", "\n  again      and again\n", NULL});
	free(page);
}

static void a_topic_is_text_without_its_markup(void **state)
{
	static const char text[] = "scalediag-x(7) \"s\"\n\n# NAME\n\nscalediag-x - of *bold* and "
				   "_under_ and a_name\\_b\n\n\t- item\n\n```\n*as it is*\n```\n";
	char *page = NULL, summary[64];
	size_t size = 0;
	FILE *const f = open_memstream(&page, &size);

	(void)state;
	assert_non_null(f);
	sd_topics_print(f, text, 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(page, "NAME\n\n   scalediag-x - of bold and under and a_name_b\n\n"
				  "       - item\n\n   *as it is*\n");
	sd_topics_summary(text, summary, sizeof summary);
	assert_non_null(strstr(summary, "bold"));
	free(page);
}

/* Finds it where scdoc is not installed, before a package is built. */
static void no_line_of_a_topic_begins_like_a_list_by_chance(void **state)
{
	(void)state;
	for (const struct sd_topic *t = sd_topics; t->name; t++) {
		int literal = 0;

		for (const char *line = t->text; *line;) {
			const char *const begin = line + strspn(line, "\t");

			literal ^= strncmp(begin, "```", 3) == 0;
			if (!literal && (*begin == '-' || *begin == '#' || *begin == '.') &&
				begin[strspn(begin, "-#.")] != ' ')
				fail_msg("%s(7): scdoc does not take: %.60s", t->name, line);
			/* the terminal's page draws no tables */
			if (!literal && (strchr("|:", *begin) || strncmp(begin, "[[", 2) == 0) &&
				*begin && *begin != '\n')
				fail_msg("%s(7): a table: %.60s", t->name, line);
			line += strcspn(line, "\n");
			line += *line == '\n';
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_is_what_it_does_then_examples_lists_and_options),
		cmocka_unit_test(a_manual_page_has_its_sections_and_escapes),
		cmocka_unit_test(a_short_help_has_the_daily_options),
		cmocka_unit_test(the_first_page_lists_commands_in_groups),
		cmocka_unit_test(a_topic_is_text_without_its_markup),
		cmocka_unit_test(no_line_of_a_topic_begins_like_a_list_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
