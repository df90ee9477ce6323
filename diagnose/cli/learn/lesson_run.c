#include "learn/lesson_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/lesson_folder.h"
#include "base/clock.h"
#include "run/diagnosis.h"
#include "learn/lesson_ask.h"
#include "learn/lesson_attach.h"
#include "learn/lesson_counts.h"
#include "learn/lesson_diff.h"
#include "learn/lesson_picture.h"
#include "learn/lesson_screen.h"
#include "learn/lesson_size.h"
#include "learn/lesson_view.h"
#include "lines/lines_report.h"
#include "run/print_report.h"
#include "html/html_sections.h"
#include "record/record_file.h"
#include "terminal/terminal_style.h"
#include "machine/topology.h"

#define BUDGET_S 40

/* A lesson fits into a minute, less what compiling, analysing and a run's end take; of it each
 * version has so much at least for what is simulated. What is cut then is said. */
#define LESSON_S 54
#define SIMULATED_S 9

struct teaching {
	const struct sd_cli *cli;
	const struct sd_lesson_files *files;
	const struct sd_lesson *lesson;
	const struct sd_lesson_run_wish *wish;
	struct sd_lesson_folder room;
	struct sd_report_style style;
	FILE *out;  /* of the lesson as text: stdout, or nowhere where that is JSON */
	FILE *more; /* of what is told besides the answer: `out`, or nowhere */
	struct sd_record simulated[SD_VERSIONS]; /* zeroed where it could not be */
	unsigned granted, nodes;
	double begun; /* s, CLOCK_MONOTONIC: the guess is made, the measuring begins */
	int asks;     /* for a guess */
	int shown;    /* these runs show what the lesson is about */
	char guess;
	FILE *results, *picture; /* of what is told in the end; NULL: nothing is run */
};

/* ---- what is shown --------------------------------------------------------------------------- */

/* The code and the question are for who is asked for a guess. */
static void put_before(const struct teaching *t)
{
	struct sd_page p;

	sd_page_begin(&p, t->out, &t->style);
	sd_page_put(&p, SD_TONE_BOLD, "%s", t->lesson->title);
	sd_page_put(&p, SD_TONE_DIM, "  about %s minutes\n", t->lesson->minutes);
	sd_page_end(&p);
	sd_page_begin(&p, t->asks ? t->out : t->more, &t->style);
	sd_page_put(&p, SD_TONE_PLAIN, "\n");
	sd_lesson_view_broken(&p, t->files, t->lesson);
	sd_lesson_view_question(&p, t->lesson);
	sd_page_end(&p);
}

/* All of the fix, where the screen of the results had none of it, or no room for it. */
static void put_fix(const struct teaching *t, struct sd_page *p)
{
	struct sd_lesson_changed line[2 * SD_LESSON_DIFF_SHOWN];
	int cut;

	sd_lesson_diff_code(t->files->broken, t->files->fixed, line, &cut);
	if (cut || t->wish->no_run || t->wish->all)
		sd_lesson_view_difference(p, t->files);
}

static void put_after(const struct teaching *t)
{
	const struct sd_lesson *const l = t->lesson;
	struct sd_page p;

	sd_page_begin(&p, t->out, &t->style);
	sd_lesson_view_answer(&p, l, t->guess);
	sd_page_end(&p);
	sd_page_begin(&p, t->more, &t->style);
	sd_page_put(&p, SD_TONE_PLAIN, "\n");
	put_fix(t, &p);
	sd_lesson_view_chapter(&p, "What to look for", l->look);
	sd_lesson_view_chapter(&p, "Why", l->why);
	sd_lesson_view_chapter(&p, "Exercises", l->exercises);
	sd_page_wrap(&p, "  ", 2,
		"scalediag learn --export FOLDER %s copies it, to edit and run again",
		sd_lesson_name(t->files));
	if (t->wish->notes) {
		sd_page_put(&p, SD_TONE_PLAIN, "\n");
		sd_lesson_view_chapter(&p, "For the instructor", l->instructor);
	}
	sd_page_end(&p);
	sd_page_begin(&p, t->out, &t->style);
	if (t->more != t->out)
		sd_page_wrap(&p, "More: ", 2,
			"scalediag learn --no-run %s (code, why, exercises), or --long",
			sd_lesson_name(t->files));
	sd_page_end(&p);
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* Does the effect need NUMA nodes, and this machine lack them? */
static int lacks_nodes(const struct teaching *t)
{
	return t->lesson->need == SD_LESSON_NEEDS_NODES && t->nodes < 2;
}

static int lacks_cores(const struct teaching *t)
{
	return t->lesson->need != SD_LESSON_NEEDS_NOTHING && t->granted < 2;
}

/* The arguments under the software PMU; NULL: it is not called for. */
static const char *model_args(const struct teaching *t)
{
	const struct sd_lesson *const l = t->lesson;

	return l->simulate                                      ? l->simulate
	       : t->shown && !lacks_nodes(t) && !lacks_cores(t) ? NULL
								: l->stand_in;
}

static void say_limits(const struct teaching *t)
{
	const struct sd_sink *const sink = t->cli->sink;
	const char *const model = model_args(t) ? "; the simulated machine can" : "";

	if (t->lesson->need == SD_LESSON_NEEDS_SIMULATED)
		sd_say(sink, SD_LEVEL_NOTE,
			"the effect depends on the size of the shared cache: look at the simulated "
			"machine, the times here may not show it");
	if (lacks_cores(t))
		sd_say(sink, SD_LEVEL_NOTE, "one CPU is granted here: it cannot show the effect%s",
			model);
	else if (lacks_nodes(t))
		sd_say(sink, SD_LEVEL_NOTE,
			"this machine has one NUMA node: it cannot show the effect, but for the "
			"serial first writing%s",
			model);
}

/* On one screen, or all of it; and whether it is what is to be found. */
static void put_results(FILE *f, struct teaching *t, const struct sd_diagnosis d[2],
	const struct sd_comparison *c, const struct sd_report_style *style, int all)
{
	struct sd_page p;

	if (all)
		sd_lesson_screen_full(f, t->lesson, d, c, style);
	sd_page_begin(&p, f, style);
	if (!all)
		sd_lesson_screen(&p, t->files, d, c);
	t->shown = sd_lesson_view_verdict(&p, t->lesson, &d[0], c);
	sd_lesson_counts_faults(&p, t->lesson, sd_lesson_folder_version,
		(const struct sd_record *const[]){&d[0].record, &d[1].record});
	if (!t->lesson->simulate && model_args(t))
		sd_page_wrap(&p, "", 0,
			"What this machine does not show, the simulated one counts, without a clock:");
	if (all)
		sd_page_put(&p, SD_TONE_PLAIN, "\n");
	sd_page_end(&p);
}

/* On the terminal, or as JSON; all of it without colours into the results; and drawn. */
static void show(struct teaching *t, const struct sd_diagnosis d[2], const struct sd_comparison *c)
{
	sd_progress_line_clear(t->cli->line);
	put_results(t->out, t, d, c, &t->style, t->wish->all);
	put_results(t->results, t, d, c, &(struct sd_report_style){0}, 1);
	sd_lesson_picture(t->picture, t->files, d, c);
	if (t->wish->json)
		sd_lesson_screen_json(stdout, d, c);
}

static enum sd_exit compare(struct teaching *t)
{
	struct sd_diagnosis d[SD_VERSIONS] = {0};
	struct sd_comparison c = {0};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = 0;

	for (int v = 0; v < SD_VERSIONS && !rc; v++) {
		char *const path = sd_lesson_folder_path(&t->room, v, ".json");

		rc = path ? sd_diagnosis_open(&d[v], t->cli, path, 0) : -ENOMEM;
		free(path);
	}
	if (!rc) {
		rc = sd_compare(&d[0].record, &d[0].analysis, &d[1].record, &d[1].analysis, &c);
		if (rc)
			sd_say(t->cli->sink, SD_LEVEL_ERROR, "cannot compare: %s", strerror(-rc));
	}
	if (!rc) {
		show(t, d, &c);
		status = SD_EXIT_DONE;
	}
	sd_comparison_free(&c);
	for (int v = 0; v < SD_VERSIONS; v++)
		sd_diagnosis_close(&d[v]);
	return status;
}

static void put_lines(FILE *f, const char *version, enum sd_lesson_count count,
	const struct sd_record *record, const struct sd_contested_lines *lines,
	const struct sd_report_style *style)
{
	struct sd_page p;

	sd_page_begin(&p, f, style);
	sd_page_put(&p, SD_TONE_BOLD, "%s.c on the simulated machine\n\n", version);
	sd_page_end(&p);
	if (count == SD_LESSON_MOVES)
		sd_lines_picture(f, record, lines, style);
	else
		sd_lines_text(f, record, lines, style);
	fputc('\n', f);
}

/* s: an equal part of what is left of the lesson. */
static unsigned simulated_budget(const struct teaching *t, int version)
{
	const double left = (t->begun + LESSON_S - sd_clock_s()) / (SD_VERSIONS - version);

	return left > SIMULATED_S ? (unsigned)left : SIMULATED_S;
}

/* The counts, and the picture of the cache lines where the lesson is about them; a lesson goes on
 * without, with the reason said. */
static enum sd_exit simulate(struct teaching *t, int version)
{
	const struct sd_report_style plain = {0};
	struct sd_record *const record = &t->simulated[version];
	struct sd_contested_lines lines = {0};
	const enum sd_exit status = sd_lesson_folder_simulate(
		&t->room, version, model_args(t), simulated_budget(t, version));
	char *const path = sd_lesson_folder_path(&t->room, version, ".sim.json");

	if (status == SD_EXIT_DONE && path && sd_record_read(path, record, t->cli->sink) == 0 &&
		sd_contested_line_list_make(record, 0, 0, &lines) == 0) {
		sd_progress_line_clear(t->cli->line);
		if (t->lesson->simulate) {
			put_lines(t->more, sd_lesson_folder_version[version], t->lesson->count,
				record, &lines, &t->style);
			put_lines(t->results, sd_lesson_folder_version[version], t->lesson->count,
				record, &lines, &plain);
			if (t->lesson->count == SD_LESSON_MOVES) {
				fprintf(t->picture, "<h3>%s.c on the simulated machine</h3>\n",
					sd_lesson_folder_version[version]);
				sd_html_lines(t->picture, record, &lines);
			}
		}
	} else if (status != SD_EXIT_INTERRUPTED) {
		sd_say(t->cli->sink, SD_LEVEL_NOTE,
			"%s.c is not shown on the simulated machine, for the reason above",
			sd_lesson_folder_version[version]);
	}
	sd_contested_lines_free(&lines);
	free(path);
	return status == SD_EXIT_INTERRUPTED ? status : SD_EXIT_DONE;
}

static void put_counts(const struct teaching *t, FILE *f, const struct sd_report_style *s, int all)
{
	struct sd_page p;

	sd_page_begin(&p, f, s);
	(all ? sd_lesson_counts_put : sd_lesson_counts_said)(
		&p, t->lesson, sd_lesson_folder_version, t->simulated);
	sd_page_end(&p);
}

/* s a version: with what is simulated a lesson stays within a minute. Where the simulated machine
 * is what shows it, it has more of that minute. */
static unsigned budget(const struct teaching *t)
{
	const unsigned usual =
		t->lesson->need == SD_LESSON_NEEDS_SIMULATED ? BUDGET_S / 2 : BUDGET_S;

	return (t->wish->budget ? t->wish->budget : usual) / SD_VERSIONS;
}

static enum sd_exit experiment(struct teaching *t)
{
	enum sd_exit status;
	char *sized = NULL;

	t->begun = sd_clock_s();
	status = sd_lesson_folder_open(&t->room, t->cli, t->files, t->lesson);

	if (status == SD_EXIT_DONE)
		status = sd_lesson_folder_compile(&t->room);
	if (status == SD_EXIT_DONE)
		status = sd_lesson_size_find(&t->room, t->granted, &sized);
	for (int v = 0; v < SD_VERSIONS && status == SD_EXIT_DONE; v++) {
		sd_say(t->cli->sink, SD_LEVEL_NOTE, "%s.c, %d of %d", sd_lesson_folder_version[v],
			v + 1, SD_VERSIONS);
		status = t->lesson->window
				 ? sd_lesson_attach_measure(&t->room, v, t->wish->cores, t->granted)
				 : sd_lesson_folder_measure(&t->room, v,
					   sized ? sized : t->lesson->args, t->wish->cores,
					   budget(t));
	}
	free(sized);
	if (status == SD_EXIT_DONE)
		status = compare(t);
	for (int v = 0; v < SD_VERSIONS && status == SD_EXIT_DONE && model_args(t); v++)
		status = simulate(t, v);
	if (status == SD_EXIT_DONE) {
		put_counts(t, t->out, &t->style, t->wish->all);
		put_counts(t, t->results, &(struct sd_report_style){0}, 1);
	}
	for (int v = 0; v < SD_VERSIONS; v++)
		sd_record_free(&t->simulated[v]);
	sd_lesson_folder_close(&t->room);
	return status;
}

static enum sd_exit measure(struct teaching *t)
{
	const struct sd_topology_source here = {0};
	struct sd_topology topology = {0};
	enum sd_exit status = SD_EXIT_MEASURE;

	if (sd_topology_load(&topology, &here, t->cli->sink) == 0) {
		t->granted = topology.granted;
		t->nodes = topology.n_numa;
		say_limits(t);
		status = experiment(t);
	}
	sd_topology_free(&topology);
	return status;
}

/* Measures it, and keeps what is told of it. */
static enum sd_exit measure_and_tell(struct teaching *t, struct sd_lesson_told *told)
{
	size_t n_results, n_picture;
	enum sd_exit status = SD_EXIT_MEASURE;

	t->results = open_memstream(&told->results, &n_results);
	t->picture = t->results ? open_memstream(&told->picture, &n_picture) : NULL;
	if (t->picture)
		status = measure(t);
	else
		sd_say(t->cli->sink, SD_LEVEL_ERROR, "out of memory");
	if (t->results)
		fclose(t->results);
	if (t->picture)
		fclose(t->picture);
	return status;
}

enum sd_exit sd_lesson_run_hold(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_lesson_run_wish *wish,
	struct sd_lesson_told *told)
{
	struct teaching t = {.cli = cli,
		.files = files,
		.lesson = l,
		.wish = wish,
		.shown = 1,
		.style = sd_terminal_style_of(stdout, NULL),
		.asks = !wish->no_run && !wish->no_quiz && !wish->json && sd_lesson_ask_can()};
	FILE *const nowhere = fopen("/dev/null", "w");
	enum sd_exit status = SD_EXIT_DONE;

	*told = (struct sd_lesson_told){0};
	if (!nowhere) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "/dev/null: %s", strerror(errno));
		return SD_EXIT_MEASURE;
	}
	t.out = wish->json ? nowhere : stdout;
	t.more = wish->all || wish->no_run || wish->notes ? t.out : nowhere;
	put_before(&t);
	t.guess = t.asks ? sd_lesson_ask(cli, "Your guess (a letter, or Enter): ") : 0;
	fflush(stdout); /* to be read while it is measured */
	if (*cli->stop)
		status = SD_EXIT_INTERRUPTED;
	else if (!wish->no_run)
		status = measure_and_tell(&t, told);
	if (status == SD_EXIT_DONE) {
		put_after(&t);
		status = sd_print_report_end(cli);
	}
	fclose(nowhere);
	if (status == SD_EXIT_INTERRUPTED)
		sd_say(cli->sink, SD_LEVEL_NOTE,
			"interrupted; a lesson keeps no records: begin it again");
	return status;
}
