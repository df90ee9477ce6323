#include "run/run_outputs.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/one_more.h"
#include "output/output_aside.h"
#include "output/output_file.h"
#include "launch/program_path.h"
#include "plan/one_run.h"
#include "record/record_names.h"
#include "run/record_path.h"

/* ---- all that is written and read ------------------------------------------------------------ */

struct files {
	struct sd_output_wish *wish;
	struct sd_output_input *input;
	size_t n_wish, n_input;
	struct sd_texts path; /* made here; their strings do not move */
	int bad;              /* without memory */
};

static void files_free(struct files *f)
{
	free(f->wish);
	free(f->input);
	sd_texts_free(&f->path);
}

static void add_wish(struct files *f, enum sd_output_kind kind, const char *path, long room)
{
	const struct sd_output_wish wish = {.path = path, .kind = kind, .room = room};

	f->bad |= path && SD_APPEND(f->wish, f->n_wish, &wish);
}

static void add_input(struct files *f, const char *path, const char *what)
{
	const struct sd_output_input input = {.path = path, .what = what};

	f->bad |= path && SD_APPEND(f->input, f->n_input, &input);
}

/* A copy of the path that lives as long as the list; takes it. */
static const char *hold(struct files *f, char *path)
{
	const int rc = path ? sd_texts_add(&f->path, "%s", path) : -ENOMEM;

	free(path);
	f->bad |= rc != 0;
	return rc ? NULL : f->path.text[f->path.n - 1];
}

static void add_beside(struct files *f, const char *record, const char *what)
{
	add_wish(f, SD_OUTPUT_PRINTED, hold(f, sd_record_names_beside(record, what)), 0);
}

/* Raw samples of a session before this one: numbered like those that will be. */
static void add_samples(struct files *f, const char *record, const struct sd_options *o)
{
	char *const folder =
		o->keep_folder ? strdup(o->keep_folder) : sd_record_names_beside(record, "samples");
	glob_t g = {0};
	char *pattern;

	if (!folder || asprintf(&pattern, "%s/run-[0-9]*.perf", folder) < 0) {
		f->bad = 1;
		free(folder);
		return;
	}
	if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0)
		for (size_t i = 0; i < g.gl_pathc; i++)
			add_wish(f, SD_OUTPUT_SAMPLES, hold(f, strdup(g.gl_pathv[i])), 0);
	globfree(&g);
	free(pattern);
	free(folder);
}

static void add_outputs(
	struct files *f, const char *record, const struct sd_options *o, unsigned cpus)
{
	char name[32];

	add_wish(f, SD_OUTPUT_RECORD, record, SD_RECORD_PATH_ROOM);
	add_wish(f, SD_OUTPUT_RECORD, hold(f, sd_record_names_unfinished(record)), 0);
	add_wish(f, SD_OUTPUT_RECORD, hold(f, sd_record_names_previous(record)), 0);
	add_wish(f, SD_OUTPUT_PAGE, o->html, 0);
	add_beside(f, record, "out");
	add_beside(f, record, "err");
	if (o->prepare) {
		add_beside(f, record, "prepare.out");
		add_beside(f, record, "prepare.err");
	}
	for (unsigned i = 1; i <= cpus && o->experiments != SD_EXPERIMENTS_NONE; i++) {
		snprintf(name, sizeof name, "copy%u.out", i);
		add_beside(f, record, name);
		snprintf(name, sizeof name, "copy%u.err", i);
		add_beside(f, record, name);
	}
	if (o->keep_samples)
		add_samples(f, record, o);
}

/* A word of the program's command line that may be the name of a file. */
static void add_word(struct files *f, const char *word, const char *cwd)
{
	char *path = NULL;

	if (*word == '/' || !cwd)
		add_input(f, word, "an argument of the program");
	else if (asprintf(&path, "%s/%s", cwd, word) >= 0)
		add_input(f, hold(f, path), "an argument of the program");
	else
		f->bad = 1;
}

static void add_inputs(struct files *f, const struct sd_options *o)
{
	char *program = NULL;

	if (sd_program_path_find(o->argv[0], o->cwd, environ, &program, NULL) == 0)
		add_input(f, hold(f, program), "the program");
	add_input(f, o->machine, "the description of a machine (--machine)");
	for (size_t i = 1; i < o->argc; i++) {
		const char *const value = strchr(o->argv[i], '=');

		add_word(f, o->argv[i], o->cwd);
		if (value)
			add_word(f, value + 1, o->cwd);
	}
}

static enum sd_exit check(
	const char *path, const struct sd_options *o, unsigned cpus, const struct sd_sink *sink)
{
	struct files f = {0};
	enum sd_exit status = SD_EXIT_MEASURE;

	add_outputs(&f, path, o, cpus);
	add_inputs(&f, o);
	if (f.bad)
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
	else
		status = sd_record_path_check(f.wish, f.n_wish, f.input, f.n_input, sink);
	files_free(&f);
	return status;
}

/* ---- the record ------------------------------------------------------------------------------ */

static enum sd_exit lock(struct sd_run_outputs *out, const char *path, const struct sd_sink *sink)
{
	const int rc = sd_record_lock_take(&out->lock, path, sink);

	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
	if (rc)
		return sd_output_file_refused(rc) ? SD_EXIT_USAGE : SD_EXIT_MEASURE;
	sd_output_aside_sweep(path);
	sd_output_aside_sweep(out->unfinished);
	return SD_EXIT_DONE;
}

/* Beside no record of ours nobody knows whose it is. */
static void say_emptied(const char *record, const struct sd_sink *sink)
{
	static const char *const beside[] = {"out", "err"};

	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		char *const path = sd_record_names_beside(record, beside[i]);
		struct stat st;

		if (path && lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
			sd_say(sink, SD_LEVEL_NOTE,
				"%s: the %lld bytes in it make room for what the program prints",
				path, (long long)st.st_size);
		free(path);
	}
}

/* Says what there is of sessions before this one. */
static enum sd_exit announce(
	struct sd_run_outputs *out, const char *path, int resume, const struct sd_sink *sink)
{
	size_t older = 0, unfinished = 0;
	enum sd_exit status = sd_record_path_older(out->unfinished, &unfinished, sink);

	if (status == SD_EXIT_DONE && !resume)
		status = sd_record_path_older(path, &older, sink);
	if (status != SD_EXIT_DONE)
		return status;
	out->save.older = older > 0;
	if (older)
		sd_say(sink, SD_LEVEL_NOTE,
			"%s: this older record with %zu run%s becomes %s, once there is a run at every core count",
			path, older, older == 1 ? "" : "s", out->previous);
	if (!older && !unfinished && !resume)
		say_emptied(path, sink);
	if (unfinished && (resume || older))
		sd_say(sink, SD_LEVEL_NOTE,
			resume ? "%s: has %zu runs of a later measurement that did not end: "
				 "--resume goes on with that, too"
			       : "%s: %zu runs of a measurement that did not end will be replaced",
			out->unfinished, unfinished);
	return status;
}

enum sd_exit sd_run_outputs_open(struct sd_run_outputs *out, const char *path,
	const struct sd_options *o, unsigned cpus, int resume, const struct sd_sink *sink)
{
	enum sd_exit status;

	*out = (struct sd_run_outputs){.unfinished = sd_record_names_unfinished(path),
		.previous = sd_record_names_previous(path)};
	if (!out->unfinished || !out->previous) {
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		return SD_EXIT_MEASURE;
	}
	out->save = (struct sd_record_save){
		.path = path, .unfinished = out->unfinished, .previous = out->previous};
	out->fresh = !resume;
	status = check(path, o, cpus, sink);
	if (status == SD_EXIT_DONE)
		status = lock(out, path, sink);
	return status == SD_EXIT_DONE ? announce(out, path, resume, sink) : status;
}

void sd_run_outputs_say_unfinished(const struct sd_run_outputs *out, const struct sd_record *record,
	const struct sd_sink *sink)
{
	if (out->save.at == out->save.path || !out->save.older)
		return;
	if (out->save.at)
		sd_say(sink, SD_LEVEL_NOTE,
			"%s: stays as it was; %s has the %zu runs of this measurement",
			out->save.path, out->save.at, record->n_run);
	else
		sd_say(sink, SD_LEVEL_NOTE, "%s: stays as it was", out->save.path);
}

void sd_run_outputs_drop_empty(struct sd_run_outputs *out, const struct sd_record *record)
{
	static const char *const beside[] = {"out", "err", "prepare.out", "prepare.err"};

	for (size_t i = 0; i < record->n_run; i++)
		if (sd_one_run_good(&record->run[i]))
			return;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		char *const path = sd_record_names_beside(out->save.path, beside[i]);
		struct stat st;

		if (path && lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
			unlink(path);
		free(path);
	}
	if (out->fresh && out->save.at) {
		unlink(out->save.at);
		out->save.at = NULL;
	}
}

void sd_run_outputs_close(struct sd_run_outputs *out)
{
	sd_record_lock_release(&out->lock);
	free(out->unfinished);
	free(out->previous);
	*out = (struct sd_run_outputs){0};
}
