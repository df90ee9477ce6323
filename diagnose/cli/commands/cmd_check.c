#include "commands/commands.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#include "analysis/comparison.h"
#include "analysis/counted_work.h"
#include "run/diagnosis.h"
#include "requirements/gate_report.h"
#include "base/number.h"
#include "record/record_file.h"
#include "output/output_file.h"
#include "help/command_help.h"
#include "options/command_line.h"
#include "options/common_values.h"
#include "run/print_report.h"
#include "terminal/terminal_style.h"
#include "view/view.h"
#include "run/record_path.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_BRIEF, FORMAT_MARKDOWN, FORMAT_METRICS };

#define TOLERANCE .03 /* of --baseline, when none is given */

struct check_arguments {
	const struct sd_sink *sink;
	const char *path, *baseline, *junit, *html;
	struct sd_requirement *gate; /* owned */
	size_t n_gate;
	double tolerance;   /* < 0: not given */
	unsigned undecided; /* enum sd_gates_policy */
	unsigned format;
};

#define AT(field) .at = offsetof(struct check_arguments, field)
static const struct sd_option_place places[] = {
	{'b', SD_OPTION_TEXT, AT(baseline)},
	{'u', SD_OPTION_CHOICE, AT(undecided)},
	{'j', SD_OPTION_TEXT, AT(junit)},
	{SD_KEY_HTML, SD_OPTION_TEXT, AT(html)},
	{'f', SD_OPTION_CHOICE, AT(format)},
	{ARGP_KEY_ARG, SD_OPTION_ONE, AT(path), .what = "record at a time"},
	{0},
};

static error_t add_gate(struct check_arguments *a, const char *v)
{
	struct sd_requirement gate;
	char why[640];

	if (sd_requirements_parse(v, &gate, why, sizeof why) < 0) {
		sd_say(a->sink, SD_LEVEL_ERROR, "--require %s", why);
		return EINVAL;
	}
	return -SD_APPEND(a->gate, a->n_gate, &gate);
}

static error_t set_tolerance(struct check_arguments *a, const char *v)
{
	const size_t n = strlen(v);
	char number[32];

	if (n == 0 || n >= sizeof number || v[n - 1] != '%')
		goto bad;
	memcpy(number, v, n - 1);
	number[n - 1] = '\0';
	if (sd_number_double(number, 0, 1000, &a->tolerance) < 0)
		goto bad;
	a->tolerance /= 100;
	return 0;
bad:
	sd_say(a->sink, SD_LEVEL_ERROR, "--tolerance '%s': must be a percentage, such as 3%%", v);
	return EINVAL;
}

static error_t handle(int key, char *value, struct argp_state *state)
{
	const struct sd_command_line *const l = state->input;

	return key == 'r'   ? add_gate(l->into, value)
	       : key == 't' ? set_tolerance(l->into, value)
			    : sd_command_line_take(key, value, state);
}

static const struct argp_option options[] = {
	{"require", 'r', "REQUIREMENT", 0, "What must hold; may be given more than once", 1},
	{"baseline", 'b', "RECORD", 0, "No core count may be slower than in this record", 1},
	{"tolerance", 't', "PERCENT%", 0, "… by more than this; else 3%", 1},
	{"undecided", 'u', "open|fail|pass", 0,
		"How to count what the runs do not decide: as neither (open, exit status 4, the "
		"default; a slowdown against the baseline must have been seen), as failed or as "
		"passed",
		1},
	{"format", 'f', "text|json|brief|markdown|openmetrics", 0, "text is the default", 2},
	SD_OPTION_JSON(2),
	SD_OPTION_BRIEF(2),
	{"html", SD_KEY_HTML, "FILE", 0, "Write them as a page for a browser, too", 2},
	{"junit", 'j', "FILE", 0, "Write the results as JUnit XML, too", 2},
	{0},
};
const struct argp sd_cmd_check_argp = {
	.options = options,
	.parser = handle,
	.args_doc = "[RECORD]",
	.doc = "scalediag check judges a record by requirements: exit status 0 when all are met, 1 "
	       "when one\n"
	       "is not, 4 when none is violated but the runs do not decide them all.\n"
	       "Judged on the bounds of 95 % intervals: a bound inside the interval is undecided, "
	       "and so is\n"
	       "everything asked of a count that ran once, of a machine that drifted, of an "
	       "efficiency above\n"
	       "what caches explain. Without RECORD, the newest of this folder.\n"
	       "\n"
	       "  scalediag check app.scalediag.json --require 'efficiency@8>=0.8'\n"
	       "  scalediag check app.scalediag.json --require 'no disk' --require scales\n"
	       "  scalediag check new.json --baseline old.json --tolerance 3%\n"
	       "\n"
	       "NAME@CORES>=NUMBER or <=: wall (s), speedup, efficiency, parallelism, karp-flatt, "
	       "or a part of\n"
	       "the stack (cores): serial, lock, imbalance, …; without @CORES the largest count.\n"
	       "Counted work, where times are too noisy: instructions, moves, fills, locked, "
	       "system-calls,\nhand-overs (threads that another woke), waits, faults; 1.05x is "
	       "times the baseline's: 'moves@8<=1.05x'.\n"
	       "'no CAUSE' wants the cause ruled out. scales wants more than 80 %% of efficiency. --baseline wants every "
	       "count of its\n"
	       "record; runs that scatter more than the tolerance decide nothing.\n",
	.children = sd_command_line_common,
};

static int put_junit(FILE *f, const void *results)
{
	return sd_gates_junit(f, results);
}

static int put_page(FILE *f, const void *results)
{
	return sd_gates_html(f, results);
}

/* A file besides, unless `path` is NULL. */
static enum sd_exit write_too(const struct sd_cli *cli, const char *path, enum sd_output_kind kind,
	sd_output_file_fn put, const struct sd_gate_results *r)
{
	return !path || sd_output_file_write(path, kind, put, r, cli->sink) == 0 ? SD_EXIT_DONE
										 : SD_EXIT_MEASURE;
}

static enum sd_exit print(
	const struct sd_cli *cli, const struct check_arguments *a, const struct sd_gate_results *r)
{
	static const enum sd_exit exit_status[] = {
		[SD_GATES_PASSED] = SD_EXIT_DONE,
		[SD_GATES_FAILED] = SD_EXIT_CHECK,
		[SD_GATES_UNDECIDED] = SD_EXIT_MEASURE,
	};
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	enum sd_exit status;
	int rc;

	errno = 0;
	if (a->format == FORMAT_JSON)
		rc = sd_gates_json(stdout, r);
	else if (a->format == FORMAT_BRIEF)
		rc = sd_gates_brief(stdout, r);
	else if (a->format == FORMAT_MARKDOWN)
		rc = sd_gates_markdown(stdout, r);
	else if (a->format == FORMAT_METRICS)
		rc = sd_gates_open_metrics(stdout, r);
	else
		rc = sd_gates_text(stdout, r, &style);
	status = sd_print_report_done(cli, rc);
	if (status == SD_EXIT_DONE)
		status = write_too(cli, a->junit, SD_OUTPUT_JUNIT, put_junit, r);
	if (status == SD_EXIT_DONE)
		status = write_too(cli, a->html, SD_OUTPUT_PAGE, put_page, r);
	if (status != SD_EXIT_DONE)
		return status;
	return exit_status[sd_gates_answer(r)];
}

/* Every core count of the baseline: what became of one that was not measured now is not known. */
static void judge_baseline(const struct check_arguments *a, const struct sd_analysis *before,
	const struct sd_comparison *c, struct sd_requirement *gate,
	struct sd_requirement_result *out)
{
	const double tolerance = a->tolerance < 0 ? TOLERANCE : a->tolerance;
	size_t k = 0;

	for (size_t i = 0; i < before->n_point; i++) {
		const struct sd_compared_point lost = {
			.cores = before->point[i].cores, .gain = {.status = SD_STATUS_ABSENT}};
		const int both = k < c->n_point && c->point[k].cores == lost.cores;

		sd_requirements_baseline(
			both ? &c->point[k++] : &lost, tolerance, &gate[i], &out[i]);
	}
}

static void judge_gates(const struct check_arguments *a, const struct sd_diagnosis *now,
	const struct sd_diagnosis *before, struct sd_requirement_result *out)
{
	for (size_t i = 0; i < a->n_gate; i++)
		if (a->gate[i].kind != SD_REQUIREMENT_COUNT ||
			sd_counted_work_judge(&a->gate[i], &now->record,
				a->baseline ? &before->record : NULL, &out[i]) < 0)
			sd_requirements_judge(&a->gate[i], &now->analysis, &out[i]);
}

/* Nothing is decided by numbers that may be others than were measured. */
static void leave_open(struct sd_requirement_result *out, const char *why)
{
	out->outcome = SD_REQUIREMENT_UNDECIDED;
	out->unseen = 0;
	snprintf(out->why, sizeof out->why, "%s", why);
}

static enum sd_exit judge(const struct sd_cli *cli, const struct check_arguments *a,
	const struct sd_diagnosis *now, const struct sd_diagnosis *before,
	const struct sd_comparison *c)
{
	const size_t n = a->n_gate + before->analysis.n_point;
	struct sd_requirement_result *const result = calloc(n + 1, sizeof *result);
	struct sd_requirement *const baseline =
		calloc(before->analysis.n_point + 1, sizeof *baseline);
	struct sd_view view;
	const int seen = sd_view_make(&view, &now->record, &now->analysis, a->path) == 0;
	const struct sd_gate_results all = {.record = a->path,
		.result = result,
		.n = n,
		.undecided = (enum sd_gates_policy)a->undecided,
		.view = &view};
	enum sd_exit status = SD_EXIT_MEASURE;

	if (result && baseline && seen) {
		judge_gates(a, now, before, result);
		judge_baseline(a, &before->analysis, c, baseline, result + a->n_gate);
		for (size_t i = 0; i < n; i++)
			if (sd_record_is_damaged(&now->record))
				leave_open(&result[i], "the record is damaged");
			else if (i >= a->n_gate && sd_record_is_damaged(&before->record))
				leave_open(&result[i], "the baseline is damaged");
		for (size_t i = 0; i < c->warnings.n; i++)
			sd_say(cli->sink, SD_LEVEL_WARNING, "%s: %s", a->baseline,
				c->warnings.text[i]);
		status = print(cli, a, &all);
	} else {
		sd_say(cli->sink, SD_LEVEL_ERROR, "cannot check: %s", strerror(ENOMEM));
	}
	if (seen)
		sd_view_free(&view);
	free(result);
	free(baseline);
	return status;
}

static enum sd_exit check(const struct sd_cli *cli, const struct check_arguments *a)
{
	struct sd_diagnosis now = {0}, before = {0};
	struct sd_comparison c = {0};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = sd_diagnosis_open(&now, cli, a->path, 0);

	if (!rc && a->baseline)
		rc = sd_diagnosis_open(&before, cli, a->baseline, 0);
	if (!rc && a->baseline) {
		rc = sd_compare(&before.record, &before.analysis, &now.record, &now.analysis, &c);
		if (rc)
			sd_say(cli->sink, SD_LEVEL_ERROR, "--baseline %s: %s", a->baseline,
				rc == -ENODATA ? "no core count in common" : strerror(-rc));
	}
	if (!rc)
		status = judge(cli, a, &now, &before, &c);
	sd_comparison_free(&c);
	sd_diagnosis_close(&before);
	sd_diagnosis_close(&now);
	return status;
}

static enum sd_exit check_files(const struct sd_cli *cli, const struct check_arguments *a)
{
	const struct sd_output_wish wishes[] = {
		{.path = a->junit, .kind = SD_OUTPUT_JUNIT},
		{.path = a->html, .kind = SD_OUTPUT_PAGE},
	};
	const struct sd_output_input inputs[] = {
		{a->path, "the record that is checked"},
		{a->baseline, "the record of --baseline"},
	};

	return sd_record_path_check(wishes, 2, inputs, sizeof inputs / sizeof *inputs, cli->sink);
}

static enum sd_exit check_usage(const struct sd_cli *cli, const struct check_arguments *a)
{
	size_t factors = 0;

	for (size_t i = 0; i < a->n_gate; i++)
		factors += a->gate[i].factor && !a->baseline;
	if (factors)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"--require with a factor, such as 1.05x, is against --baseline, which is "
			"missing");
	else if (!a->n_gate && !a->baseline)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"nothing to check: give --require or --baseline; see scalediag check "
			"--help");
	else if (a->tolerance >= 0 && !a->baseline)
		sd_say(cli->sink, SD_LEVEL_ERROR, "--tolerance is of --baseline, which is missing");
	else
		return check_files(cli, a);
	return SD_EXIT_USAGE;
}

enum sd_exit sd_cmd_check(const struct sd_cli *cli, int argc, char **argv)
{
	struct check_arguments a = {.sink = cli->sink, .tolerance = -1};
	struct sd_command_line line = {
		.name = "check", .argp = &sd_cmd_check_argp, .place = places, .into = &a};
	enum sd_exit status;
	char *newest = NULL;

	if (sd_command_help_parse(cli, &line, argc, argv, &status)) {
		if (!a.path)
			a.path = newest = sd_record_path_newest("check", NULL, cli->sink);
		status = a.path ? check_usage(cli, &a) : SD_EXIT_USAGE;
		if (status == SD_EXIT_DONE)
			status = check(cli, &a);
	}
	free(a.gate);
	free(newest);
	return status;
}
