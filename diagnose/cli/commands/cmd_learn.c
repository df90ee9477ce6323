#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/lesson.h"
#include "learn/lesson_files.h"
#include "base/number.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "run/print_report.h"
#include "learn/lesson_folder.h"
#include "run/record_path.h"
#include "learn/lesson_run.h"

struct learn_arguments {
	const struct sd_sink *sink;
	const char *lesson, *export, *html;
	struct sd_lesson_run_wish wish;
	enum sd_asked asked;
};

static error_t set_budget(struct learn_arguments *a, const char *v)
{
	uint64_t n;

	if (sd_number_u64(v, 4, 3600, &n) < 0) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--budget '%s': must be seconds, 4 to 3600", v);
		return EINVAL;
	}
	a->wish.budget = (unsigned)n;
	return 0;
}

static error_t set_lesson(struct learn_arguments *a, const char *v)
{
	if (a->lesson) {
		sd_say(a->sink, SD_LEVEL_ERROR, "'%s': one lesson at a time, after '%s'", v,
			a->lesson);
		return EINVAL;
	}
	a->lesson = v;
	return 0;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	struct learn_arguments *const a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		return sd_command_line_begin(state, &a->asked);
	case 'q':
		a->wish.no_quiz = 1;
		return 0;
	case 'n':
		a->wish.no_run = 1;
		return 0;
	case 'N':
		a->wish.notes = 1;
		return 0;
	case 'c':
		a->wish.cores = value;
		return 0;
	case 'b':
		return set_budget(a, value);
	case 'H':
		a->html = value;
		return 0;
	case 'e':
		a->export = value;
		return 0;
	case ARGP_KEY_ARG:
		return set_lesson(a, value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"cores", 'c', "LIST", 0, "Core counts, as of run", 1},
	{"budget", 'b', "SECONDS", 0,
		"For the measurements of a lesson, 40 if not given, or 20 where it is simulated "
		"that it shows; what is simulated comes on top",
		1},
	{"no-quiz", 'q', NULL, 0, "Do not ask for a guess", 1},
	{"no-run", 'n', NULL, 0, "Compile and measure nothing", 1},
	{"notes", 'N', NULL, 0, "With the notes for the instructor", 1},
	{"html", 'H', "FILE", 0, "Write the lesson as a handout for a browser, too", 2},
	{"export", 'e', "FOLDER", 0, "Copy the lesson there, with a Makefile, and run nothing", 2},
	{0},
};
const struct argp sd_cmd_learn_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[LESSON]",
	.doc = "scalediag learn teaches the causes: a broken and a fixed program, run side by side here and\n"
	       "explained by the same diagnosis that your programs get.\n"
	       "\n"
	       "  scalediag learn                                   the lessons\n"
	       "  scalediag learn false-sharing                     one of them, about a minute\n"
	       "  scalediag learn --export my-copy false-sharing    to edit it and run it again\n",
	.children = sd_command_line_common,
};

static int parse(
	const struct sd_lesson_files *files, struct sd_lesson *l, const struct sd_sink *sink)
{
	char name[128];

	snprintf(name, sizeof name, "%s/LESSON.md", files->folder);
	return sd_lesson_parse(files->text, (size_t)(files->text_end - files->text), name, l, sink);
}

static const char *need_of(const struct sd_lesson *l)
{
	static const char *const words[] = {
		[SD_LESSON_NEEDS_NOTHING] = "",
		[SD_LESSON_NEEDS_CORES] = "2 cores",
		[SD_LESSON_NEEDS_NODES] = "2 NUMA nodes",
		[SD_LESSON_NEEDS_SIMULATED] = "qemu-user",
	};

	return words[l->need];
}

static enum sd_exit list(const struct sd_cli *cli)
{
	printf("%-4s%-22s%4s  %-14s%s\n", "", "lesson", "min", "needs", "about");
	for (const struct sd_lesson_files *f = sd_lesson_files; f->folder; f++) {
		struct sd_lesson l;
		const int rc = parse(f, &l, cli->sink);

		if (!rc)
			printf("%-4.2s%-22s%4s  %-14s%s\n", f->folder, sd_lesson_name(f), l.minutes,
				need_of(&l), l.title);
		sd_lesson_free(&l);
		if (rc)
			return SD_EXIT_MEASURE;
	}
	puts("\nStart one with: scalediag learn LESSON (listed in workshop order)");
	return sd_print_report_end(cli);
}

static enum sd_exit learn(const struct sd_cli *cli, const struct learn_arguments *a)
{
	const struct sd_lesson_files *const f = sd_lesson_find(a->lesson);
	const struct sd_output_wish page = {.path = a->html, .kind = SD_OUTPUT_PAGE};
	struct sd_lesson l;
	enum sd_exit status;

	if (!f) {
		const char *const meant = sd_lesson_nearest(a->lesson);

		sd_say(cli->sink, SD_LEVEL_ERROR,
			"'%s': no such lesson; %s%s%sscalediag learn lists them", a->lesson,
			meant ? "did you mean '" : "", meant ? meant : "", meant ? "'? " : "");
		return SD_EXIT_USAGE;
	}
	status = sd_record_path_check(&page, 1, NULL, 0, cli->sink);
	if (status != SD_EXIT_DONE)
		return status;
	status = SD_EXIT_MEASURE;
	if (parse(f, &l, cli->sink) == 0) {
		status = a->export ? sd_lesson_folder_export(cli, f, &l, a->export)
				   : sd_lesson_run_hold(cli, f, &l, &a->wish, a->html);
		if (a->export && status == SD_EXIT_DONE) {
			printf("%s: make; make compare; then edit broken.c, and make compare again\n",
				a->export);
			status = sd_print_report_end(cli);
		}
	}
	sd_lesson_free(&l);
	return status;
}

static enum sd_exit check_usage(const struct sd_cli *cli, const struct learn_arguments *a)
{
	if (!a->lesson && (a->export || a->html))
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s is of a lesson: name one",
			a->export ? "--export" : "--html");
	else if (a->export && a->html)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"--export runs nothing, so --html has no results");
	else
		return SD_EXIT_DONE;
	return SD_EXIT_USAGE;
}

enum sd_exit sd_cmd_learn(const struct sd_cli *cli, int argc, char **argv)
{
	struct learn_arguments a = {.sink = cli->sink};
	enum sd_exit status;

	if (sd_command_line_parse("learn", &sd_cmd_learn_argp, 0, argc, argv, &a, cli->sink) != 0)
		return SD_EXIT_USAGE;
	if (a.asked)
		return sd_command_help_answer(cli, "learn", a.asked);
	status = check_usage(cli, &a);
	if (status != SD_EXIT_DONE)
		return status;
	return a.lesson ? learn(cli, &a) : list(cli);
}
