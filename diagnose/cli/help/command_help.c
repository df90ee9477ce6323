#include "help/command_help.h"

#include <stdlib.h>
#include <string.h>

#include "help/manual_page.h"
#include "help/topics.h"
#include "help/version_text.h"
#include "options/run_options.h"
#include "run/print_report.h"

const struct sd_command *sd_command_help_find(const struct sd_cli *cli, const char *name)
{
	for (const struct sd_command *c = cli->commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

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

	fprintf(f, "%.*s\n", (int)(rest ? (size_t)(rest - doc) : strlen(doc)), doc);
	return rest;
}

void sd_command_help_first(FILE *f, const struct sd_cli *cli)
{
	print_beginning(f, sd_command_help_find(cli, "run"));
	sd_run_options_commands(f, cli);
	sd_topics_list(f, cli);
	fputs("\nscalediag help NAME explains a command or a topic, scalediag run --help all options.\n",
		f);
}

void sd_command_help_print(FILE *f, const struct sd_cli *cli, const struct sd_command *c)
{
	const char *const rest = print_beginning(f, c);

	if (c->above) {
		c->above(f, cli);
		fputc('\n', f);
	}
	print_options(f, c);
	if (rest)
		fprintf(f, "\n%s", rest + 1);
	if (c->below) {
		fputc('\n', f);
		c->below(f, cli);
	}
}

enum sd_exit sd_command_help_answer(const struct sd_cli *cli, const char *name, enum sd_asked asked)
{
	if (asked == SD_ASKED_VERSION)
		sd_version_text(stdout);
	else
		sd_command_help_print(stdout, cli, sd_command_help_find(cli, name));
	return sd_print_report_end(cli);
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
