#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "commands/learn_class.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "learn/lesson_ask.h"
#include "learn/lesson_export.h"
#include "learn/lesson_html.h"
#include "learn/lesson_run.h"
#include "learn/lesson_slides.h"
#include "learn/lesson_track.h"
#include "render/json_values.h"
#include "run/record_path.h"

/* Options without a letter. */
enum { TRACK = 256, BUDGET, CHECK, CSV };

struct learn_arguments {
	const struct sd_sink *sink;
	const char *lesson, *export, *html, *check;
	unsigned minutes; /* of a track; 0: none */
	int csv;          /* grades */
	struct sd_lesson_run_wish wish;
};

#define AT(field) .at = offsetof(struct learn_arguments, field)
static const struct sd_option_place places[] = {
	{'q', SD_OPTION_FLAG, AT(wish.no_quiz)},
	{'n', SD_OPTION_FLAG, AT(wish.no_run)},
	{'N', SD_OPTION_FLAG, AT(wish.notes)},
	{'l', SD_OPTION_FLAG, AT(wish.all)},
	{'c', SD_OPTION_TEXT, AT(wish.cores)},
	{'H', SD_OPTION_TEXT, AT(html)},
	{SD_KEY_JSON, SD_OPTION_FLAG, AT(wish.json)},
	{'e', SD_OPTION_TEXT, AT(export)},
	{CHECK, SD_OPTION_TEXT, AT(check)},
	{CSV, SD_OPTION_FLAG, AT(csv)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(lesson), .what = "lesson at a time"},
	{0},
};

static error_t set_budget(struct learn_arguments *a, const char *v)
{
	double seconds = 0;
	const error_t rc = sd_common_values_seconds(a->sink, "budget", v, 4, 3600, &seconds);

	if (!rc)
		a->wish.budget = (unsigned)seconds;
	return rc;
}

/* "90min", "90" */
static error_t set_track(struct learn_arguments *a, const char *v)
{
	const size_t digits = strspn(v, "0123456789");
	char *const number = strndup(v, digits);
	uint64_t n = 0;
	const int rc = !number || (v[digits] && strcmp(v + digits, "min") != 0) ||
		       sd_number_u64(number, 5, 600, &n) < 0;

	free(number);
	if (rc) {
		sd_say(a->sink, SD_LEVEL_ERROR,
			"--track '%s': must be minutes, 5 to 600, such as 90min", v);
		return EINVAL;
	}
	a->minutes = (unsigned)n;
	return 0;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;

	return key == TRACK    ? set_track(l->into, value)
	       : key == BUDGET ? set_budget(l->into, value)
			       : sd_command_line_take(key, value, state);
}

static const struct argp_option options[] = {
	{"track", TRACK, "MINUTES", 0,
		"Hold the lessons that fit into so long, one after another, the most telling first: 90min",
		1},
	{"cores", 'c', "LIST", 0, "Core counts, as of run", 1},
	{"budget", BUDGET, "SECONDS", 0,
		"For the measurements of a lesson, 40 if not given, or 20 where it is simulated "
		"that it shows; what is simulated comes on top",
		1},
	{"no-quiz", 'q', NULL, 0, "Do not ask for a guess", 1},
	{"no-run", 'n', NULL, 0, "Compile and measure nothing", 1},
	{"long", 'l', NULL, 0,
		"Show the code, both diagnoses in full, the pictures and why, not one screen", 1},
	{"notes", 'N', NULL, 0, "With the notes for the instructor", 1},
	{"html", 'H', "FILE", 0,
		"Write the lesson as a handout for a browser, too; without LESSON one page for the "
		"projector, of all lessons or those of --track",
		2},
	{"json", SD_KEY_JSON, NULL, 0,
		"Of a lesson what changed from broken to fixed, as compare --json; of --check the "
		"grades; else the list of lessons",
		2},
	{"check", CHECK, "FOLDER", 0,
		"Grade the broken.c of a student in FOLDER, or of each in a folder there: is it the "
		"same program, faster, the cause gone, and no other come?",
		2},
	{"csv", CSV, NULL, 0, "The grades of --check as CSV", 2},
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
	       "  scalediag learn --export my-copy false-sharing    to edit it and run it again\n"
	       "  scalediag learn --check my-copy                   what became of it, graded\n"
	       "  scalediag learn --track 90min                     a workshop, lesson by lesson\n"
	       "  scalediag learn --no-run --html workshop.html     all of them on a page\n",
	.children = sd_command_line_common,
};

static const char *need_of(const struct sd_lesson *l)
{
	static const char *const words[] = {
		[SD_LESSON_NEEDS_NOTHING] = "",
		[SD_LESSON_NEEDS_CORES] = "2 cores",
		[SD_LESSON_NEEDS_NODES] = "2 NUMA nodes",
		[SD_LESSON_NEEDS_SIMULATED] = "qemu-user",
		[SD_LESSON_NEEDS_MPI] = "MPI, 2 cores",
	};

	return words[l->need];
}

static enum sd_exit list_json(const struct sd_cli *cli, const struct sd_lesson_track *t)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < t->n; i++)
		sd_json_add(&out,
			sd_json("lesson", sd_lesson_name(t->item[i].files), "title",
				t->item[i].lesson.title, "minutes", t->item[i].lesson.duration,
				"needs", need_of(&t->item[i].lesson)));
	return sd_print_report_done(cli, sd_json_print(stdout, out));
}

static enum sd_exit list(const struct sd_cli *cli, const struct sd_lesson_track *t)
{
	printf("%-4s%-22s%4s  %-14s%s\n", "", "lesson", "min", "needs", "about");
	for (size_t i = 0; i < t->n; i++)
		printf("%-4.2s%-22s%4s  %-14s%s\n", t->item[i].files->folder,
			sd_lesson_name(t->item[i].files), t->item[i].lesson.minutes,
			need_of(&t->item[i].lesson), t->item[i].lesson.title);
	/* as long as a screen, with the list */
	puts("Start one: scalediag learn LESSON. A workshop, in this order: --track 90min");
	return sd_print_report_end(cli);
}

/* Those of the track, one after another; a lesson that cannot be held here is said and passed. */
static enum sd_exit hold_all(const struct sd_cli *cli, const struct learn_arguments *a,
	const struct sd_lesson_track *t, struct sd_lesson_told *told)
{
	enum sd_exit status = SD_EXIT_DONE;

	printf("A workshop of %u minutes\n\n", t->minutes);
	sd_lesson_track_put(stdout, t);
	for (size_t i = 0; i < t->n && status != SD_EXIT_INTERRUPTED && !ferror(stdout); i++) {
		const struct sd_lesson_track_item *const item = &t->item[i];
		char question[128];

		snprintf(question, sizeof question,
			"\nEnter begins %s, s passes it, q ends: ", sd_lesson_name(item->files));
		const char wish = a->wish.no_quiz ? 0 : sd_lesson_ask(cli, question);

		if (wish == 'q' || *cli->stop)
			break;
		if (wish == 's')
			continue;
		printf("\n[%zu/%zu] ", i + 1, t->n);
		status = sd_lesson_run_hold(cli, item->files, &item->lesson, &a->wish, &told[i]);
		if (status != SD_EXIT_DONE && status != SD_EXIT_INTERRUPTED) {
			sd_lesson_told_free(&told[i]);
			sd_say(cli->sink, SD_LEVEL_WARNING,
				"%s could not be held here, for the reason above",
				sd_lesson_name(item->files));
		}
	}
	if (*cli->stop)
		return SD_EXIT_INTERRUPTED;
	if (ferror(stdout))
		return SD_EXIT_MEASURE;
	return a->html ? sd_lesson_slides_write(cli, t, told, a->wish.notes, a->html)
		       : SD_EXIT_DONE;
}

static enum sd_exit hold_track(
	const struct sd_cli *cli, const struct learn_arguments *a, struct sd_lesson_track *t)
{
	struct sd_lesson_told *told;
	enum sd_exit status = SD_EXIT_MEASURE;

	if (a->minutes)
		sd_lesson_track_cut(t, a->minutes);
	told = calloc(t->n + 1, sizeof *told);
	if (told)
		status = hold_all(cli, a, t, told);
	else
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	for (size_t i = 0; told && i < t->n; i++)
		sd_lesson_told_free(&told[i]);
	free(told);
	return status;
}

static enum sd_exit hold_one(const struct sd_cli *cli, const struct learn_arguments *a,
	const struct sd_lesson_files *f, const struct sd_lesson *l)
{
	struct sd_lesson_told told = {0};
	enum sd_exit status;

	if (a->export) {
		status = sd_lesson_export(cli, f, l, a->export);
		if (status != SD_EXIT_DONE)
			return status;
		printf("%s: make; make compare; then edit broken.c, and make compare again\n",
			a->export);
		return sd_print_report_end(cli);
	}
	status = sd_lesson_run_hold(cli, f, l, &a->wish, &told);
	if (status == SD_EXIT_DONE && a->html)
		status = sd_lesson_html_write(cli, f, l, &told, a->wish.notes, a->html);
	sd_lesson_told_free(&told);
	return status;
}

static enum sd_exit check_class(const struct sd_cli *cli, const struct learn_arguments *a,
	const struct sd_lesson_track *t, const struct sd_lesson_files *f)
{
	const struct sd_learn_class_wish wish = {.folder = a->check,
		.html = a->html,
		.format = a->csv         ? SD_CLASS_CSV
			  : a->wish.json ? SD_CLASS_JSON
					 : SD_CLASS_TEXT,
		.run = &a->wish};
	size_t i = 0;

	while (i < t->n && t->item[i].files != f)
		i++;
	return sd_learn_class(cli, t, i < t->n ? &t->item[i] : NULL, &wish);
}

static enum sd_exit learn(
	const struct sd_cli *cli, const struct learn_arguments *a, struct sd_lesson_track *t)
{
	const struct sd_lesson_files *const f = a->lesson ? sd_lesson_find(a->lesson) : NULL;
	const struct sd_output_wish page = {.path = a->html, .kind = SD_OUTPUT_PAGE};
	enum sd_exit status;

	if (a->lesson && !f) {
		const char *const meant = sd_lesson_nearest(a->lesson);

		sd_say(cli->sink, SD_LEVEL_ERROR,
			"'%s': no such lesson; %s%s%sscalediag learn lists them", a->lesson,
			meant ? "did you mean '" : "", meant ? meant : "", meant ? "'? " : "");
		return SD_EXIT_USAGE;
	}
	status = sd_record_path_check(&page, 1, NULL, 0, cli->sink);
	if (status != SD_EXIT_DONE)
		return status;
	if (a->check)
		return check_class(cli, a, t, f);
	if (a->wish.json && !f)
		return list_json(cli, t);
	if (!f)
		return a->minutes || a->html ? hold_track(cli, a, t) : list(cli, t);
	for (size_t i = 0; i < t->n; i++)
		if (t->item[i].files == f)
			return hold_one(cli, a, f, &t->item[i].lesson);
	return SD_EXIT_MEASURE;
}

static enum sd_exit check_usage(const struct sd_cli *cli, const struct learn_arguments *a)
{
	if (a->check && (a->export || a->minutes || a->wish.no_run || (a->csv && a->wish.json)))
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"--check goes with LESSON, --cores, --budget, --html, and one of --csv and "
			"--json");
	else if (a->csv && !a->check)
		sd_say(cli->sink, SD_LEVEL_ERROR, "--csv is of the grades of --check");
	else if (!a->lesson && a->export)
		sd_say(cli->sink, SD_LEVEL_ERROR, "--export is of a lesson: name one");
	else if (a->lesson && a->minutes)
		sd_say(cli->sink, SD_LEVEL_ERROR, "--track is of several lessons, not of '%s'",
			a->lesson);
	else if (a->wish.json && !a->check &&
		 (a->minutes || a->wish.no_run || a->export || (a->html && !a->lesson)))
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"--json is of the list of lessons, of one that is run, or of --check");
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
	struct sd_command_line line = {
		.name = "learn", .argp = &sd_cmd_learn_argp, .place = places, .into = &a};
	struct sd_lesson_track track = {0};
	enum sd_exit status;

	if (!sd_command_help_parse(cli, &line, argc, argv, &status))
		return status;
	status = check_usage(cli, &a);
	if (status != SD_EXIT_DONE)
		return status;
	status = sd_lesson_track_all(&track, cli->sink) == 0 ? learn(cli, &a, &track)
							     : SD_EXIT_MEASURE;
	sd_lesson_track_free(&track);
	return status;
}
