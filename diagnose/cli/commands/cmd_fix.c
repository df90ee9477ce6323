#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/fix_json.h"
#include "commands/fix_try.h"
#include "fix/fix_apply.h"
#include "fix/fix_plan.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/diagnosis.h"
#include "run/print_report.h"
#include "run/record_path.h"
#include "terminal/terminal_style.h"

enum { SOURCES = 256, APPLY, TRY };

struct fix_arguments {
	const struct sd_sink *sink;
	const char *path, *folder, *try;
	int apply, json;
};

#define AT(field) .at = offsetof(struct fix_arguments, field)
static const struct sd_option_place places[] = {
	{SOURCES, SD_OPTION_TEXT, AT(folder)},
	{APPLY, SD_OPTION_FLAG, AT(apply)},
	{TRY, SD_OPTION_TEXT, AT(try)},
	{SD_KEY_JSON, SD_OPTION_FLAG, AT(json)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(path), .what = "record at a time"},
	{0},
};

static const struct argp_option options[] = {
	{"sources", SOURCES, "FOLDER", 0, "The folder of the program's sources; else this one", 1},
	{"try", TRY, "COMMAND", 0,
		"Build the sources by COMMAND in two copies, one of them changed, time both in pairs, "
		"and measure what is left of the causes",
		1},
	{"apply", APPLY, NULL, 0, "Change the sources, too", 1},
	{"json", SD_KEY_JSON, NULL, 0, "Print one object for machines", 1},
	{0},
};
const struct argp sd_cmd_fix_argp = {
	.options = options,
	.parser = sd_command_line_take,
	.args_doc = "[RECORD]",
	.doc = "scalediag fix prints what to change in the sources as a diff, where that can be said exactly:\n"
	       "structures and variables of which threads use different parts get cache lines of their own, sums\n"
	       "and counts become each thread's own, locks are held for less, loops are given out in smaller\n"
	       "parts. Of everything else it says where and what, and why there is\n"
	       "no diff. Sources that are newer than the program that was measured are refused. Without RECORD,\n"
	       "the newest of this folder.\n"
	       "\n"
	       "  scalediag fix app.scalediag.json > app.patch     for patch -p1\n"
	       "  scalediag fix --try 'make -s' app.scalediag.json     build and time a copy with the changes\n"
	       "  scalediag fix --apply app.scalediag.json     change them; git must have no other changes of them\n",
	.children = sd_command_line_common,
};

/* The words, then the diff, before which patch skips them. */
static int print(const struct sd_fix_plan *plan, const struct sd_fix_sources *s)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_page page;
	int rc;

	if (!plan->n)
		puts("Nothing to change: no cause was found that a change of the sources would "
		     "end.");
	sd_page_begin(&page, stdout, &style);
	sd_fix_plan_put(&page, plan);
	rc = sd_page_end(&page);
	return rc ? rc : sd_fix_sources_diff(stdout, s);
}

static int print_trial(const struct sd_fix_trial *t)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_page page;

	sd_page_begin(&page, stdout, &style);
	sd_fix_try_put(&page, t);
	return sd_page_end(&page);
}

/* Prints, tries and applies, as far as that is asked for. */
static enum sd_exit use(const struct sd_cli *cli, const struct fix_arguments *a,
	struct sd_fix_trial *t, const struct sd_fix_sources *sources)
{
	enum sd_exit status = SD_EXIT_DONE, tried = SD_EXIT_DONE;

	if (!a->json)
		status = sd_print_report_done(cli, print(t->plan, sources));
	if (status == SD_EXIT_DONE && a->try && t->plan->diffs)
		tried = sd_fix_try(cli, t);
	if (status == SD_EXIT_DONE && a->json)
		status = sd_print_report_done(cli, sd_fix_json(stdout, t));
	else if (status == SD_EXIT_DONE)
		status = sd_print_report_done(cli, print_trial(t));
	status = status == SD_EXIT_DONE ? tried : status;
	if (status == SD_EXIT_DONE && a->apply && t->plan->diffs &&
		sd_fix_apply(sources, cli->sink) != 0)
		status = SD_EXIT_MEASURE;
	return status;
}

/* The lines by the program's own samples, else by the software PMU. 0; -ENOENT: none; -ENOMEM. */
static int find_lines(const struct sd_record *r, struct sd_contested_lines *lines)
{
	const int rc = sd_contested_line_list_native(r, 0, lines);

	if (rc != -ENOENT && (rc || lines->n_matter))
		return rc;
	sd_contested_lines_free(lines);
	return sd_contested_line_list_make(r, 0, 0, lines);
}

static enum sd_exit fix(
	const struct sd_cli *cli, const struct fix_arguments *a, const struct sd_diagnosis *d)
{
	struct sd_contested_lines lines = {0};
	struct sd_fix_locks locks;
	struct sd_fix_plan *const plan = calloc(1, sizeof *plan);
	struct sd_fix_sources sources = {0};
	struct sd_fix_trial trial = {
		.sources = &sources, .plan = plan, .analysis = &d->analysis, .command = a->try};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = plan ? sd_fix_sources_open(&sources, &d->record, a->folder ? a->folder : ".")
		      : -ENOMEM;

	if (rc) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", a->folder ? a->folder : ".",
			strerror(-rc));
		free(plan);
		return a->folder ? SD_EXIT_USAGE : SD_EXIT_MEASURE;
	}
	if (sd_fix_locks_read(&locks, sd_configs_dir(), cli->sink) != 0) {
		sd_fix_sources_free(&sources);
		free(plan);
		return SD_EXIT_USAGE;
	}
	rc = find_lines(&d->record, &lines);
	trial.simulated = !rc && lines.simulated;
	rc = rc == -ENOMEM ? rc
			   : sd_fix_plan_make(plan, &d->record, rc ? NULL : &lines, &d->analysis,
				     &sources, &locks);
	if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	else
		status = use(cli, a, &trial, &sources);
	sd_contested_lines_free(&lines);
	sd_fix_sources_free(&sources);
	free(plan);
	return status;
}

enum sd_exit sd_cmd_fix(const struct sd_cli *cli, int argc, char **argv)
{
	struct fix_arguments a = {.sink = cli->sink};
	struct sd_diagnosis d = {0};
	struct sd_command_line line = {
		.name = "fix", .argp = &sd_cmd_fix_argp, .place = places, .into = &a};
	enum sd_exit status;
	char *newest = NULL;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	if (!a.path)
		a.path = newest = sd_record_path_newest("fix", NULL, cli->sink);
	if (!a.path)
		return SD_EXIT_USAGE;
	status = sd_diagnosis_open(&d, cli, a.path, 0) == 0 ? fix(cli, &a, &d) : SD_EXIT_MEASURE;
	sd_diagnosis_close(&d);
	free(newest);
	return status;
}
