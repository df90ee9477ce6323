/*
 * Copies of the program at once, as one run of an experiment.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/leftover_note.h"
#include "trial/copies.h"
#include "launch/environment.h"
#include "trial/private_folder.h"
#include "plan/one_run.h"
#include "trial/trial.h"
#include "launch/command_words.h"

/* Names and folder, if any, of one copy's own. */
struct place {
	struct sd_leftover_note note;
	char *out, *err;
	struct sd_private_folder folder;
};

struct set {
	struct place *place;
	struct sd_copies_one *one;
	size_t n;
};

static void set_free(struct set *s, int keep)
{
	for (size_t i = 0; s->place && i < s->n; i++) {
		struct place *p = &s->place[i];

		if (p->out && !keep)
			unlink(p->out);
		if (p->err && !keep)
			unlink(p->err);
		sd_private_folder_free(&p->folder);
		sd_leftover_note_close(&p->note);
		free(p->out);
		free(p->err);
	}
	free(s->place);
	free(s->one);
}

static void note_copy(const struct sd_trial *t, struct place *p, const char *name)
{
	char *const path = sd_trial_beside(t, name);

	if (path)
		sd_leftover_note_open(&p->note, SD_LEFTOVER_COPY, path);
	free(path);
}

static int set_make(
	struct set *s, const struct sd_trial *t, const struct sd_cpulist *cpus, size_t each)
{
	const struct sd_options *o = t->measure->options;
	int rc = 0;

	s->n = cpus->n / each;
	s->place = calloc(s->n, sizeof *s->place);
	s->one = calloc(s->n, sizeof *s->one);
	if (!s->place || !s->one)
		return -ENOMEM;
	for (size_t i = 0; i < s->n && !rc; i++) {
		struct place *p = &s->place[i];
		char name[48];

		snprintf(name, sizeof name, "copy%zu", i + 1);
		note_copy(t, p, name);
		snprintf(name, sizeof name, "copy%zu.out", i + 1);
		p->out = sd_trial_beside(t, name);
		snprintf(name, sizeof name, "copy%zu.err", i + 1);
		p->err = sd_trial_beside(t, name);
		snprintf(name, sizeof name, "copy%zu.d", i + 1);
		if (!p->out || !p->err)
			rc = -ENOMEM;
		if (!rc && o->isolate)
			rc = sd_private_folder_make(
				&p->folder, sd_trial_beside(t, name), o->cwd, t->sink);
		if (o->isolate && rc && rc != -ENOMEM)
			rc = -ENOTSUP; /* said */
		s->one[i] = (struct sd_copies_one){.cpus = {.cpu = cpus->cpu + i * each, .n = each},
			.cwd = o->isolate ? p->folder.path : o->cwd,
			.out_path = p->out,
			.err_path = p->err};
	}
	return rc;
}

/* Reads the rate each copy printed (--rate). */
static void take_rates(const struct sd_trial *t, const struct set *s, struct sd_run *run)
{
	for (size_t i = 0; i < s->n && t->has_rate && sd_one_run_good(run); i++) {
		char text[64];
		double value;

		if (sd_printed_rate_read(&t->rate, s->place[i].out, &value, text, sizeof text) == 0)
			run->tried->copy[i].rate = SD_OK(value);
		else
			run->end = SD_END_RATE_MISSING;
	}
}

static int run_set(const struct sd_trial *t, struct sd_run *run, const struct set *s,
	char *const *argv, char *const *envp, double timeout_s, char *shared, size_t size)
{
	const struct sd_copies c = {.argv = argv,
		.envp = envp,
		.one = s->one,
		.n = s->n,
		.any_status = t->measure->options->ignore_failure,
		.shield = &t->shield,
		.timeout_s = timeout_s > 0 ? timeout_s : t->measure->options->timeout_s,
		.stop = t->measure->stop,
		.progress = t->progress,
		.progress_ctx = t->progress_ctx};
	const struct sd_value before = sd_trial_line_before(t);
	const int rc = sd_copies_run(&c, run->tried->copy, run, shared, size, t->sink);

	run->metric[SD_METRIC_LINE_BEFORE] = before;
	if (!rc)
		run->metric[SD_METRIC_LINE_AFTER] = sd_trial_line(t);
	if (!rc && sd_one_run_mixed(run))
		run->metric[SD_METRIC_LINE_AFTER] = sd_trial_line(t);
	if (!rc && sd_one_run_mixed(run))
		run->flags |= SD_RUN_MIXED;
	return rc;
}

static int add_tried(struct sd_run *run, size_t n)
{
	run->tried = calloc(1, sizeof *run->tried);
	if (!run->tried)
		return -ENOMEM;
	run->tried->copy = calloc(n, sizeof *run->tried->copy);
	if (!run->tried->copy)
		return -ENOMEM;
	run->tried->n_copy = n;
	return 0;
}

int sd_trial_copies(const struct sd_trial *t, struct sd_run *run, const struct sd_cpulist *cpus,
	double timeout_s, char *shared, size_t size)
{
	const struct sd_options *o = t->measure->options;
	const struct sd_plan_point *point = &t->record->plan.point[run->point];
	struct set s = {0};
	char **argv = NULL, **envp = NULL;
	int rc;

	*run = (struct sd_run){.point = run->point, .kind = run->kind, .block = run->block};
	shared[0] = '\0';
	rc = set_make(&s, t, cpus, point->cpus.n);
	if (!rc)
		rc = add_tried(run, s.n);
	if (!rc)
		rc = sd_environment_argv(o->argv, point->cores, sd_trial_shape(point), &argv);
	if (!rc)
		rc = sd_environment_envp(environ, o, point->cores, sd_trial_shape(point), &envp);
	if (!rc)
		rc = sd_trial_prepare(t, envp, point->cores);
	if (!rc)
		rc = run_set(t, run, &s, argv, envp, timeout_s, shared, size);
	if (!rc)
		take_rates(t, &s, run);
	set_free(&s, !rc && !sd_one_run_good(run));
	sd_command_words_free(argv);
	sd_command_words_free(envp);
	if (rc)
		sd_run_free(run);
	return rc;
}

/* Removes what a copy printed. */
static void remove_printed(int fd, const char *name, const char *suffix)
{
	char file[NAME_MAX + 1];
	struct stat st;

	if (snprintf(file, sizeof file, "%s%s", name, suffix) < (int)sizeof file &&
		fstatat(fd, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		st.st_uid == geteuid())
		unlinkat(fd, file, 0);
}

int sd_trial_copies_noted(int fd, const char *folder, const char *name)
{
	char own[NAME_MAX + 1];
	int rc = 0;

	(void)folder;
	if (!strstr(name, ".scalediag.copy"))
		return 0;
	remove_printed(fd, name, ".out");
	remove_printed(fd, name, ".err");
	if (snprintf(own, sizeof own, "%s.d", name) < (int)sizeof own)
		rc = sd_private_folder_left(fd, own);
	return rc == -EEXIST ? 0 : rc;
}
