#include "complete/complete.h"

#include <stdio.h>
#include <string.h>

#include "complete/value_words.h"
#include "help/command_help.h"
#include "options/option_grammar.h"
#include "run/print_report.h"

static int add_option(void *ctx, const struct argp_option *o)
{
	const struct sd_value_words *const w = ctx;
	char word[64];

	if (!o->name || (o->flags & OPTION_HIDDEN))
		return 0;
	snprintf(word, sizeof word, "--%s%s", o->name,
		o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
	sd_value_words_add(w, word, o->doc);
	return 0;
}

/* The name of the command's argument number n, as its args_doc has it: "BEFORE AFTER",
 * "FILE...". */
static int argument_name(const char *doc, size_t n, char *out, size_t size)
{
	const char *last = NULL;
	size_t length = 0;

	for (const char *p = doc ? doc : ""; *p;) {
		p += strspn(p, " [");
		if (!*p)
			break;
		last = p;
		length = strcspn(p, " ].");
		p += strcspn(p, " ");
		if (n == 0 || strncmp(last + length, "...", 3) == 0) {
			snprintf(out, size, "%.*s", (int)length, last);
			return 1;
		}
		n--;
	}
	return 0;
}

static void complete_value(const struct sd_cli *cli, const struct argp_option *o,
	const char *before, const char *typed)
{
	const struct sd_value_words w = {.f = stdout, .before = before, .typed = typed};

	if (o && o->arg)
		sd_value_words_print(&w, cli, o->arg);
}

/* --name=typed */
static void complete_long_value(
	const struct sd_cli *cli, const struct argp *argp, const char *word, const char *equal)
{
	char before[80];

	snprintf(before, sizeof before, "%.*s", (int)(equal + 1 - word), word);
	complete_value(cli, sd_option_grammar_find(argp, word + 2, (size_t)(equal - word - 2)),
		before, equal + 1);
}

/* A word that is no option: the argument number n of the command. */
static void complete_argument(const struct sd_cli *cli, const struct sd_command *c, size_t n,
	const char *typed, int first)
{
	const struct sd_value_words w = {.f = stdout, .before = "", .typed = typed};
	char name[128];

	if (first)
		sd_value_words_print(&w, cli, "COMMAND");
	if (argument_name(c->argp->args_doc, n, name, sizeof name))
		sd_value_words_print(&w, cli, name);
}

static void complete(const struct sd_cli *cli, const struct sd_command *c, int n,
	char *const *words, int implied)
{
	const int is_run = c == cli->commands;
	struct sd_option_grammar g = {.argp = c->argp, .in_order = is_run};
	const char *const last = words[n - 1], *const equal = strchr(last, '=');
	struct sd_value_words options = {.f = stdout, .before = "", .typed = last};
	size_t arguments = 0;

	for (int i = 0; i < n - 1; i++)
		arguments += sd_option_grammar_next(&g, words[i]) == SD_WORD_ARGUMENT &&
			     strcmp(words[i], "--") != 0;
	if (g.wants_value)
		complete_value(cli, g.option, "", last);
	else if (is_run && arguments > 0)
		puts(":program");
	else if (!g.ended && strncmp(last, "--", 2) == 0 && equal)
		complete_long_value(cli, c->argp, last, equal);
	else if (!g.ended && last[0] == '-')
		sd_option_grammar_each(c->argp, add_option, &options);
	else
		complete_argument(cli, c, arguments, last, implied && n == 1);
}

enum sd_exit sd_complete(const struct sd_cli *cli, int n, char *const *words)
{
	const struct sd_command *const c = n > 1 ? sd_command_help_find(cli, words[0]) : NULL;

	if (n > 0 && c)
		complete(cli, c, n - 1, words + 1, 0);
	else if (n > 0)
		complete(cli, cli->commands, n, words, 1);
	return sd_print_report_end(cli);
}
