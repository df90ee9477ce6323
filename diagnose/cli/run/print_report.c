#include "run/print_report.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/diagnosis.h"
#include "hotspots/fold_stacks.h"
#include "hotspots/profile_stacks.h"
#include "run/kept_runs.h"
#include "output/output_file.h"
#include "run/source_lines.h"
#include "terminal/terminal_style.h"
#include "html/html.h"
#include "page/report_style.h"
#include "plan/planner.h"

/* Blocks whose order --dry-run shows. */
#define PLAN_BLOCKS 3u

/* `scalediag ... | head`: whoever read has seen enough. A failed write before the last one is
 * remembered by the stream, but not its errno. */
static int reader_left(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return errno == EPIPE || (poll(&out, 1, 0) > 0 && out.revents & POLLERR);
}

enum sd_exit sd_print_report_end(const struct sd_cli *cli)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return SD_EXIT_DONE;
	if (reader_left())
		return SD_EXIT_DONE;
	sd_say(cli->sink, SD_LEVEL_ERROR, "standard output: %s",
		errno ? strerror(errno) : "could not be written whole");
	return SD_EXIT_MEASURE;
}

enum sd_exit sd_print_report_done(const struct sd_cli *cli, int rc)
{
	enum sd_exit status = SD_EXIT_DONE;

	if (rc >= 0 || rc == -EIO)
		status = sd_print_report_end(cli);
	/* jansson has one word for a stream that fails and for memory that it lacks */
	if (rc == -EIO && status == SD_EXIT_DONE && !ferror(stdout))
		rc = -ENOMEM;
	if (rc >= 0 || rc == -EIO)
		return status;
	sd_say(cli->sink, SD_LEVEL_ERROR, "the report could not be made: %s",
		rc == -EOVERFLOW ? "it is longer than --brief may be; --json has no limit"
				 : strerror(-rc));
	return SD_EXIT_MEASURE;
}

/* The stacks that a format is made of; sets what is there in the style. */
struct stacks {
	struct sd_folded_stacks folded;
	struct sd_stack_profile profile;
	struct sd_thread_lanes lanes;
	struct sd_contested_lines lines, own;
};

static void free_stacks(struct stacks *x)
{
	sd_folded_stacks_free(&x->folded);
	sd_stack_profile_free(&x->profile);
	sd_thread_lanes_free(&x->lanes);
	sd_contested_lines_free(&x->lines);
	sd_contested_lines_free(&x->own);
}

static int say_no_stacks(const struct sd_cli *cli, const char *path, unsigned cores, int rc)
{
	if (rc == -ENOENT)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: has no usable run at %u cores (--cores)",
			path, cores);
	else if (rc == -ENODATA)
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s: its runs took no samples, so there are no stacks", path);
	else if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
	return rc;
}

static int add_lanes(const struct sd_cli *cli, struct sd_diagnosis *d,
	const struct sd_print_report_wish *wish, struct stacks *x)
{
	return wish->samples ? sd_kept_runs_lanes(
				       &d->record, wish->samples, wish->cores, &x->lanes, cli->sink)
			     : 0;
}

/* 0; -errno, said: there is nothing to print. */
static int find_stacks(const struct sd_cli *cli, struct sd_diagnosis *d, const char *path,
	const struct sd_report_format *format, const struct sd_print_report_wish *wish,
	struct stacks *x)
{
	const struct sd_record *const r = &d->record;
	int rc = 0;

	switch (format->flames) {
	case SD_FLAMES_NONE:
		return 0;
	case SD_FLAMES_TOO: /* the rest of the report does without samples */
		if (sd_contested_line_list_make(r, 0, 0, &x->lines) == -ENOMEM ||
			sd_contested_line_list_native(r, 0, &x->own) == -ENOMEM)
			return say_no_stacks(cli, path, 0, -ENOMEM);
		rc = sd_profile_stacks(r, wish->cores, &x->profile);
		if (rc && rc != -ENODATA)
			(void)say_no_stacks(cli, path, wish->cores, rc);
		return 0;
	case SD_FLAMES_ALONE:
		rc = sd_fold_stacks(r, wish->cores, wish->waits, &x->folded);
		break;
	case SD_FLAMES_VIEWER:
		rc = sd_profile_stacks(r, wish->cores, &x->profile);
		if (!rc)
			return add_lanes(cli, d, wish, x);
		break;
	case SD_FLAMES_LANES:
		return add_lanes(cli, d, wish, x);
	}
	return say_no_stacks(cli, path, wish->cores, rc);
}

static enum sd_exit print_diagnosis(const struct sd_cli *cli, struct sd_diagnosis *d,
	const char *path, const struct sd_report_format *format,
	const struct sd_print_report_wish *wish)
{
	struct sd_report_style style = sd_terminal_style_of(stdout, path);
	const struct sd_record *r = &d->record;
	struct sd_source_lines sources = {0};
	struct stacks stacks = {0};
	enum sd_exit status = SD_EXIT_MEASURE;

	if (wish->width > 0)
		style.width = wish->width;
	style.all = wish->all;
	style.cause = wish->cause;
	style.folded = &stacks.folded;
	style.stacks = &stacks.profile;
	style.lanes = &stacks.lanes;
	style.lines = &stacks.lines;
	style.own = &stacks.own;
	if (find_stacks(cli, d, path, format, wish, &stacks) < 0)
		goto out;
	if (sd_source_lines_find(r, &d->analysis,
		    format->flames == SD_FLAMES_TOO ? SD_SOURCE_LINES_WHOLE
		    : wish->all                     ? SD_SOURCE_LINES_LONG
						    : SD_SOURCE_LINES_BRIEF,
		    &sources) < 0) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
		goto out;
	}
	style.source = sources.source;
	style.n_source = sources.n;
	errno = 0;
	sd_progress_line_clear(cli->line);
	status = sd_print_report_done(cli, format->print(stdout, r, &d->analysis, &style));
out:
	free_stacks(&stacks);
	sd_source_lines_free(&sources);
	return status;
}

/* The contents of a page's file. */
struct page {
	const struct sd_diagnosis *d;
	struct sd_report_style style;
};

static int put_page(FILE *f, const void *data)
{
	const struct page *const page = data;

	return sd_html_report(f, &page->d->record, &page->d->analysis, &page->style);
}

enum sd_exit sd_print_report_page(const struct sd_cli *cli, const char *path, const char *html,
	const char *samples, int failed)
{
	struct stacks stacks = {0};
	struct sd_diagnosis d;
	struct sd_source_lines sources = {0};
	struct page page = {.d = &d,
		.style = {.record_path = path,
			.stacks = &stacks.profile,
			.lines = &stacks.lines,
			.own = &stacks.own}};
	enum sd_exit status = SD_EXIT_MEASURE;

	if (sd_diagnosis_open_with(&d, cli, path, samples, failed) == 0) {
		sd_progress_line_clear(cli->line);
		/* without samples the page has no flames and no lines of its own, without a
		 * simulation no simulated ones */
		sd_profile_stacks(&d.record, 0, &stacks.profile);
		sd_contested_line_list_make(&d.record, 0, 0, &stacks.lines);
		sd_contested_line_list_native(&d.record, 0, &stacks.own);
		if (sd_source_lines_find(&d.record, &d.analysis, SD_SOURCE_LINES_WHOLE, &sources) ==
			0) {
			page.style.source = sources.source;
			page.style.n_source = sources.n;
		}
		if (sd_output_file_write(html, SD_OUTPUT_PAGE, put_page, &page, cli->sink) == 0)
			status = SD_EXIT_DONE;
	}
	sd_source_lines_free(&sources);
	free_stacks(&stacks);
	sd_diagnosis_close(&d);
	return status;
}

static const struct sd_print_report_wish nothing_wished = {0};

enum sd_exit sd_print_report_of(const struct sd_cli *cli, const char *path,
	const struct sd_report_format *format, struct sd_record *record)
{
	struct sd_diagnosis d;
	enum sd_exit status = SD_EXIT_MEASURE;

	if (sd_diagnosis_of(&d, cli, path, record) == 0)
		status = print_diagnosis(cli, &d, path, format, &nothing_wished);
	sd_diagnosis_close(&d);
	return status;
}

enum sd_exit sd_print_report(const struct sd_cli *cli, const char *path,
	const struct sd_report_format *format, const struct sd_print_report_wish *wish, int failed)
{
	struct sd_diagnosis d;
	enum sd_exit status = SD_EXIT_MEASURE;

	if (!wish)
		wish = &nothing_wished;
	if (sd_diagnosis_open_with(&d, cli, path, wish->samples, failed) == 0)
		status = print_diagnosis(cli, &d, path, format, wish);
	sd_diagnosis_close(&d);
	return status;
}

const char *sd_print_report_format(const struct sd_options *o)
{
	return o->brief ? "brief" : o->json ? "json" : "text";
}

enum sd_exit sd_print_report_measured(const struct sd_cli *cli, const char *path,
	const char *format, const char *html, enum sd_exit status)
{
	const int unfinished = status != SD_EXIT_DONE;
	enum sd_exit printed =
		sd_print_report(cli, path, sd_report_format_find(format), NULL, unfinished);

	if (html && printed == SD_EXIT_DONE)
		printed = sd_print_report_page(cli, path, html, NULL, unfinished);
	return unfinished ? status : printed;
}

enum sd_exit sd_print_report_plan(
	const struct sd_cli *cli, const struct sd_record *record, const char *path)
{
	const struct sd_plan *const plan = &record->plan;
	struct sd_report_style style = sd_terminal_style_of(stdout, path);
	size_t *const order = calloc(PLAN_BLOCKS * plan->n_point, sizeof *order);
	int rc = -ENOMEM;

	if (order) {
		style.order = order;
		while (style.n_block < PLAN_BLOCKS &&
			(!plan->max_repeats || style.n_block < plan->max_repeats)) {
			sd_planner_order(plan, (unsigned)style.n_block,
				order + style.n_block * plan->n_point);
			style.n_block++;
		}
		rc = sd_report_plan(stdout, record, &style);
	}
	free(order);
	if (rc < 0 && rc != -EIO) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "the plan could not be printed: %s",
			strerror(-rc));
		return SD_EXIT_MEASURE;
	}
	return sd_print_report_end(cli);
}
