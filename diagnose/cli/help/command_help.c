#include "help/command_help.h"

#include <stdlib.h>
#include <string.h>

#include "help/manual_page.h"
#include "help/topics.h"
#include "help/version_text.h"
#include "options/option_grammar.h"
#include "run/print_report.h"

const struct sd_command *sd_command_help_find(const struct sd_cli *cli, const char *name)
{
	for (const struct sd_command *c = cli->commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* ---- lines of at most 79 columns ------------------------------------------------------------- */

#define COLUMNS 79

static size_t columns_of(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

/* The words of a line behind those before it, from column `at` on, further lines indented; where it
 * ends. */
static size_t put_words(FILE *f, const char *s, size_t n, size_t at, size_t indent)
{
	for (size_t i = 0, word; i < n; i += word) {
		i += strspn(s + i, " ");
		word = i < n ? strcspn(s + i, " \n") : 0;
		if (!word)
			break;
		if (at > indent && at + 1 + columns_of(s + i, word) > COLUMNS) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		}
		fprintf(f, "%s%.*s", at > indent ? " " : "", (int)word, s + i);
		at += (at > indent) + columns_of(s + i, word);
	}
	return at;
}

/* A line of a list: what it is of, and behind a gap what is said of that, which goes on below. */
static void put_row(FILE *f, const char *s, size_t n)
{
	const char *const word = s + strspn(s, " "), *const gap = strstr(word, "  ");
	const size_t text = gap ? (size_t)(gap - s) + strspn(gap, " ") : n;

	if (columns_of(s, n) > COLUMNS && text < n) {
		fprintf(f, "%.*s", (int)text, s);
		put_words(f, s + text, n - text, columns_of(s, text), columns_of(s, text));
	} else {
		fprintf(f, "%.*s", (int)n, s);
	}
	fputc('\n', f);
}

/* Paragraphs are filled; lines that are indented stand as they are. */
static void put_filled(FILE *f, const char *s, size_t size)
{
	size_t at = 0;

	for (const char *const end = s + size; s < end;) {
		const size_t n = strcspn(s, "\n");
		const int stands = n == 0 || *s == ' ';

		if (stands && at)
			fputc('\n', f);
		if (stands)
			put_row(f, s, n);
		at = stands ? 0 : put_words(f, s, n, at, 0);
		s += n + (s[n] == '\n');
	}
	if (at)
		fputc('\n', f);
}

static void put_list(
	FILE *f, const struct sd_cli *cli, void (*list)(FILE *f, const struct sd_cli *cli))
{
	char *text = NULL;
	size_t size = 0;
	FILE *const m = open_memstream(&text, &size);

	if (!m)
		return;
	list(m, cli);
	if (fclose(m) == 0)
		put_filled(f, text, size);
	free(text);
}

/* ---- the parts of a help --------------------------------------------------------------------- */

/* argp's list, without the note on short options behind it. */
static void print_options(FILE *f, const struct sd_command *c)
{
	char name[64], *text = NULL;
	size_t size = 0;
	FILE *const m = open_memstream(&text, &size);
	const char *note;

	if (!m)
		return;
	snprintf(name, sizeof name, "scalediag %s", c->name);
	argp_help(c->argp, m, ARGP_HELP_LONG, name);
	if (fclose(m) == 0) {
		note = strstr(text, "\nMandatory or optional arguments");
		fwrite(text, 1, note ? (size_t)(note - text) : size, f);
	}
	free(text);
}

static const char *print_beginning(FILE *f, const struct sd_command *c)
{
	const char *const doc = c->argp->doc, *const rest = strchr(doc, '\v');

	put_filled(f, doc, rest ? (size_t)(rest - doc) : strlen(doc));
	fputc('\n', f);
	return rest;
}

/* All commands below the headings of their groups. */
static void list_commands(FILE *f, const struct sd_cli *cli)
{
	for (const struct sd_command *c = cli->commands; c->name; c++) {
		if (c->group)
			fprintf(f, "%s:\n", c->group);
		fprintf(f, "  %-10s %s\n", c->name, c->summary);
	}
	fputs("A program that has the name of a command: scalediag run NAME.\n\n", f);
}

void sd_command_help_first(FILE *f, const struct sd_cli *cli)
{
	print_beginning(f, sd_command_help_find(cli, "run"));
	put_list(f, cli, list_commands);
	put_list(f, cli, sd_topics_list);
	fputs("\nscalediag help NAME explains one of them; scalediag --help has options.\n", f);
}

void sd_command_help_print(FILE *f, const struct sd_cli *cli, const struct sd_command *c)
{
	const char *const rest = print_beginning(f, c);

	if (c->above) {
		put_list(f, cli, c->above);
		fputc('\n', f);
	}
	fputs("Options:\n", f);
	print_options(f, c);
	if (rest) {
		fputc('\n', f);
		put_filled(f, rest + 1, strlen(rest + 1));
	}
	if (c->below) {
		fputc('\n', f);
		put_list(f, cli, c->below);
	}
}

/* "--cores=LIST" and what it does, by its option; one with a letter by that: "-o RECORD". */
static void put_daily(FILE *f, const struct argp *argp, const struct sd_daily_option *d)
{
	const struct argp_option *const o = sd_option_grammar_find(argp, d->name, strlen(d->name));
	char text[64];

	if (o && o->key < 256 && o->arg)
		snprintf(text, sizeof text, "-%c %s", o->key, o->arg);
	else
		snprintf(text, sizeof text, "--%s%s%s", d->name, o && o->arg ? "=" : "",
			o && o->arg ? o->arg : "");
	fprintf(f, "  %-25s %s\n", text, d->text);
}

void sd_command_help_brief(FILE *f, const struct sd_cli *cli, const struct sd_command *c)
{
	if (!c->daily) {
		sd_command_help_print(f, cli, c);
		return;
	}
	print_beginning(f, c);
	fputs("Options of every day:\n", f);
	for (const struct sd_daily_option *d = c->daily; d->name; d++)
		put_daily(f, c->argp, d);
	fprintf(f, "\nEvery option: scalediag %s --help=all. Commands, topics: scalediag help.\n",
		c->name);
}

enum sd_exit sd_command_help_answer(const struct sd_cli *cli, const char *name, enum sd_asked asked)
{
	if (asked == SD_ASKED_VERSION)
		sd_version_text(stdout);
	else if (asked == SD_ASKED_HELP)
		sd_command_help_brief(stdout, cli, sd_command_help_find(cli, name));
	else
		sd_command_help_print(stdout, cli, sd_command_help_find(cli, name));
	return sd_print_report_end(cli);
}

int sd_command_help_parse(const struct sd_cli *cli, struct sd_command_line *l, int argc,
	char **argv, enum sd_exit *status)
{
	l->sink = cli->sink;
	*status = SD_EXIT_USAGE;
	if (sd_command_line_parse(l, 0, argc, argv) != 0)
		return 0;
	*status = l->asked ? sd_command_help_answer(cli, l->name, l->asked) : SD_EXIT_DONE;
	return !l->asked;
}

enum sd_exit sd_command_help_manual(const struct sd_cli *cli, const char *name)
{
	const struct sd_command *const c = sd_command_help_find(cli, name);

	if (!c) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "--manual-page '%s': no such command", name);
		return SD_EXIT_USAGE;
	}
	if (sd_manual_page(stdout, cli, c) != 0) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "not enough memory");
		return SD_EXIT_MEASURE;
	}
	return sd_print_report_end(cli);
}
