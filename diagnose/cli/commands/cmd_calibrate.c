#include "commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/bench_changes.h"
#include "analysis/profile_comparison.h"
#include "calibration/bench_report.h"
#include "help/command_help.h"
#include "options/calibrate_options.h"
#include "calibrate/calibrate_node.h"
#include "output/output_file.h"
#include "run/print_report.h"
#include "profile/profile_file.h"
#include "terminal/terminal_style.h"
#include "run/record_path.h"

/* A profile that must be there. */
static enum sd_exit read_profile(const struct sd_cli *cli, const char *path, struct sd_profile *out)
{
	const int rc = sd_profile_read(path, out, cli->sink);

	if (rc == -ENOENT)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: there is no such profile", path);
	return rc ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

/*
 * Chooses the place of the profile: what -o says, or for a whole calibration its place in the
 * cache. *path is a fresh string, or NULL when there is nothing to write: a part is not a
 * calibration.
 */
static enum sd_exit choose_place(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, char **path)
{
	const struct sd_output_input inputs[] = {
		{a->read, "the profile that is shown"},
		{a->compare, "the profile that is compared with"},
	};
	struct sd_output_wish wish[] = {
		{.kind = SD_OUTPUT_PROFILE}, {.path = a->html, .kind = SD_OUTPUT_PAGE}};
	const size_t n_input = sizeof inputs / sizeof *inputs;
	struct sd_profile_key key;

	*path = NULL;
	if (a->read || (!a->output && (a->named || a->cores_given)))
		return sd_record_path_check(wish, 2, inputs, n_input, cli->sink);
	if (!a->output && sd_calibrate_node_key(cli, &key) != 0)
		return SD_EXIT_MEASURE;
	*path = a->output ? strdup(a->output) : sd_profile_path(&key, a->quick, 1);
	if (!*path) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"nowhere to keep the profile: neither XDG_CACHE_HOME nor HOME names a "
			"folder; give "
			"one with -o FILE");
		return SD_EXIT_MEASURE;
	}
	/* better known before three minutes of measuring than after */
	wish[0].path = *path;
	return sd_record_path_check(wish, 2, inputs, n_input, cli->sink);
}

/* The folder whose disk is to be measured. */
static enum sd_exit check_directory(const struct sd_cli *cli, const char *path)
{
	struct stat st;
	const int there = stat(path, &st) == 0;

	if (there && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (there && access(path, W_OK | X_OK) == 0)
		return SD_EXIT_DONE;
	sd_say(cli->sink, SD_LEVEL_ERROR,
		"--directory '%s': %s; give a folder you may write to, on the disk to measure",
		path, strerror(errno));
	return SD_EXIT_USAGE;
}

static enum sd_exit save(const struct sd_cli *cli, const struct sd_calibrate_options *a,
	const char *path, const struct sd_profile *p)
{
	struct sd_profile used = {0};
	const char *differs;

	if (!path)
		return SD_EXIT_DONE;
	if (!a->read && !sd_calibrate_node_holds(p, NULL, cli->sink))
		return SD_EXIT_MEASURE;
	if (sd_profile_write(path, p, cli->sink) != 0)
		return SD_EXIT_MEASURE;
	sd_say(cli->sink, SD_LEVEL_NOTE, "profile %s", path);
	if (!a->output && a->quick && sd_profile_load(&p->key, &used, &differs, NULL) == 0 &&
		!used.quick)
		sd_say(cli->sink, SD_LEVEL_NOTE,
			"the full calibration there is stays, and goes on being the one that is "
			"used");
	sd_profile_free(&used);
	return SD_EXIT_DONE;
}

static enum sd_exit failed_report(const struct sd_cli *cli, int rc)
{
	if (rc == -EIO && errno == EPIPE)
		return SD_EXIT_DONE;
	if (rc == -EIO)
		return sd_print_report_end(cli);
	sd_say(cli->sink, SD_LEVEL_ERROR, "the report could not be made: %s", strerror(-rc));
	return SD_EXIT_MEASURE;
}

static enum sd_exit show(const struct sd_cli *cli, const struct sd_calibrate_options *a,
	const char *file, const struct sd_profile *p)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	int rc;

	errno = 0;
	sd_progress_line_clear(cli->line);
	if (a->format == SD_CALIBRATE_JSON)
		rc = sd_profile_encode(stdout, p);
	else if (a->format == SD_CALIBRATE_CSV)
		rc = sd_bench_csv(stdout, p);
	else if (a->named || a->is_long)
		rc = sd_bench_text(stdout, p, a->named, &style);
	else
		rc = sd_bench_brief(stdout, p, file, &style);
	return rc ? failed_report(cli, rc) : sd_print_report_end(cli);
}

struct calibration_page {
	const struct sd_profile *now, *earlier;
};

static int put_page(FILE *f, const void *data)
{
	const struct calibration_page *const page = data;

	return sd_bench_html(f, page->now, page->earlier);
}

/* With what it is compared with, or else with what it replaces. */
static enum sd_exit write_page(const struct sd_cli *cli, const char *html,
	const struct sd_profile *earlier, const struct sd_profile *now)
{
	const struct calibration_page page = {now, earlier->rows.n ? earlier : NULL};

	if (!html)
		return SD_EXIT_DONE;
	return sd_output_file_write(html, SD_OUTPUT_PAGE, put_page, &page, cli->sink) == 0
		       ? SD_EXIT_DONE
		       : SD_EXIT_MEASURE;
}

static enum sd_exit compare(const struct sd_cli *cli, const struct sd_calibrate_options *a,
	const struct sd_profile *before, const struct sd_profile *after)
{
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_bench_comparison c;
	enum sd_exit status;
	int rc = sd_profile_compare(before, after, &c);

	errno = 0;
	if (rc == 0)
		rc = a->format == SD_CALIBRATE_JSON ? sd_bench_changes_json(stdout, &c)
						    : sd_bench_changes_text(stdout, &c, &style);
	status = rc ? failed_report(cli, rc) : sd_print_report_end(cli);
	/* of too little, neither that it changed nor that nothing did says anything */
	if (status == SD_EXIT_DONE && c.comparable &&
		(c.n > 0 || c.granted_before != c.granted_after))
		status = SD_EXIT_CHECK;
	else if (status == SD_EXIT_DONE && (!c.comparable || c.blind))
		status = SD_EXIT_MEASURE;
	sd_bench_comparison_free(&c);
	return status;
}

/* Fails a whole calibration that has no number for what it is made for first. */
static enum sd_exit check_whole(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, const struct sd_profile *p)
{
	char missing[200];

	if (a->read || a->named || a->cores_given ||
		sd_node_numbers_missing(p, missing, sizeof missing) == 0)
		return SD_EXIT_DONE;
	sd_say(cli->sink, SD_LEVEL_ERROR,
		"this calibration has no number for: %s. The report says why; calibrate again "
		"when less runs beside it%s",
		missing, a->quick ? ", or without --quick" : "");
	return SD_EXIT_MEASURE;
}

/* The limits that were asked for, a line each; one that is broken outweighs one that is not known.
 */
static enum sd_exit check_limits(
	const struct sd_cli *cli, const struct sd_calibrate_options *a, const struct sd_profile *p)
{
	static const struct {
		enum sd_level level;
		const char *word;
	} outcome[] = {[SD_NODE_HOLDS] = {SD_LEVEL_NOTE, "holds"},
		[SD_NODE_BROKEN] = {SD_LEVEL_ERROR, "is broken"},
		[SD_NODE_UNDECIDED] = {SD_LEVEL_WARNING, "cannot be told"}};
	enum sd_exit status = SD_EXIT_DONE;
	char said[200];

	for (size_t i = 0; i < a->n_limit; i++) {
		const enum sd_node_outcome o =
			sd_node_limit_check(&a->limit[i], p, said, sizeof said);

		sd_say(cli->sink, outcome[o].level, "%s %s: %s", a->limit[i].text, outcome[o].word,
			said);
		if (o == SD_NODE_BROKEN)
			status = SD_EXIT_CHECK;
		else if (o == SD_NODE_UNDECIDED && status == SD_EXIT_DONE)
			status = SD_EXIT_MEASURE;
	}
	return status;
}

/* Everything after the arguments. */
static enum sd_exit carry_out(const struct sd_cli *cli, struct sd_calibrate_options *a)
{
	struct sd_profile before = {0}, after = {0};
	enum sd_exit status, saved;
	char *path = NULL;

	if (a->directory && check_directory(cli, a->directory) != SD_EXIT_DONE)
		return SD_EXIT_USAGE;
	status = choose_place(cli, a, &path);
	if (status == SD_EXIT_DONE && a->compare)
		status = read_profile(cli, a->compare, &before);
	if (status == SD_EXIT_DONE)
		status = a->read ? read_profile(cli, a->read, &after)
				 : sd_calibrate_node_measure(cli, a, &after);
	if (status != SD_EXIT_DONE)
		goto out;
	/* what is replaced is read before it is; one that is damaged is nothing to draw */
	if (a->html && !a->compare && path)
		sd_profile_read(path, &before, NULL);
	saved = save(cli, a, path, &after);
	if (saved == SD_EXIT_DONE)
		saved = write_page(cli, a->html, &before, &after);
	/* what was measured is shown also when it could not be kept */
	if (!a->compare || a->format == SD_CALIBRATE_TEXT)
		status = show(cli, a,
			a->read                 ? a->read
			: saved == SD_EXIT_DONE ? path
						: NULL,
			&after);
	if (status == SD_EXIT_DONE && a->compare)
		status = compare(cli, a, &before, &after);
	if (status == SD_EXIT_DONE)
		status = check_limits(cli, a, &after);
	if (status == SD_EXIT_DONE)
		status = check_whole(cli, a, &after);
	if (saved != SD_EXIT_DONE)
		status = saved;
out:
	free(path);
	sd_profile_free(&before);
	sd_profile_free(&after);
	return status;
}

enum sd_exit sd_cmd_calibrate(const struct sd_cli *cli, int argc, char **argv)
{
	struct sd_calibrate_options a = {.kernels = cli->kernels, .sink = cli->sink};
	enum sd_exit status;
	const int rc = sd_calibrate_options_parse(argc, argv, &a);

	if (rc)
		status = rc == -ENOMEM ? SD_EXIT_MEASURE : SD_EXIT_USAGE;
	else
		status = a.asked ? sd_command_help_answer(cli, "calibrate", a.asked)
				 : carry_out(cli, &a);
	sd_calibrate_options_free(&a);
	return status;
}
