#include "commands/fix_after.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/contested_lines.h"
#include "base/one_more.h"
#include "learn/child_process.h"
#include "run/diagnosis.h"

#define BUDGET "20" /* s */

/* ---- measuring ------------------------------------------------------------------------------- */

struct line {
	char **argv; /* owned; the words are borrowed */
	size_t n;
	int rc;
};

static void add(struct line *l, const char *word)
{
	/* argp takes char **, and changes the order of the words, not the words */
	char *const one = (char *)(uintptr_t)word; /* NOLINT(performance-no-int-to-ptr) */

	l->rc = l->rc ? l->rc : SD_APPEND(l->argv, l->n, &one);
}

static void add_all(struct line *l, const char *const *words)
{
	for (; *words; words++)
		add(l, *words);
}

static enum sd_exit measure(const struct sd_cli *cli, const struct sd_fix_changed *c)
{
	const struct sd_program *const p = c->program;
	struct line l = {0};
	char cores[24];
	enum sd_exit status = SD_EXIT_MEASURE;

	snprintf(cores, sizeof cores, c->cores > 1 ? "1,%u" : "%u", c->cores);
	add_all(&l, (const char *const[]){"run", "--cores", cores, "--budget", BUDGET,
			    "--experiments", "none", "--cwd", c->cwd, "-o", c->record, NULL});
	if (c->simulated)
		add_all(&l, (const char *const[]){"--events", "sim", "--samples", "none",
				    "--repeats", "1", NULL});
	if (p->no_env)
		add(&l, "--no-env");
	if (p->scaling == SD_SCALING_WEAK)
		add(&l, "--weak");
	for (size_t i = 0; i < p->env.n; i++)
		add_all(&l, (const char *const[]){"--env", p->env.text[i], NULL});
	add_all(&l, (const char *const[]){"--", c->path, NULL});
	for (size_t i = 1; i < p->argv.n; i++)
		add(&l, p->argv.text[i]);
	add(&l, NULL);
	if (!l.rc)
		status = sd_child_process_run(cli, (int)l.n - 1, l.argv);
	free(l.argv);
	return status;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Lines that matter and hold an object of that name. */
static size_t count_lines(
	const struct sd_record *r, const struct sd_contested_lines *lines, const char *object)
{
	char name[sizeof((struct sd_fix_entry *)0)->object];
	size_t n = 0;

	for (size_t i = 0; i < lines->n_matter; i++) {
		const struct sd_sim_contested *const line = lines->line[i].line;
		int has = 0;

		for (size_t k = 0; k < line->n_object && !has; k++) {
			sd_fix_plan_object(&r->stacks, &line->object[k], name, sizeof name);
			has = strcmp(name, object) == 0;
		}
		n += (size_t)has;
	}
	return n;
}

static void fill_in(const struct sd_fix_plan *plan, const struct sd_analysis *before,
	const struct sd_diagnosis *d, const struct sd_contested_lines *lines,
	struct sd_fix_left *left)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct sd_fix_entry *const e = &plan->entry[i];

		if (!*e->what)
			continue;
		left[i].before = left[i].after = (struct sd_interval){.status = SD_STATUS_ABSENT};
		for (int k = 0; k < SD_CAUSE_COUNT; k++) {
			if (before->finding[k].cause == e->cause)
				left[i].before = before->finding[k].cores;
			if (d->analysis.finding[k].cause == e->cause)
				left[i].after = d->analysis.finding[k].cores;
		}
		if (*e->object && lines)
			left[i].lines = count_lines(&d->record, lines, e->object);
		left[i].looked = *e->object ? lines != NULL
					    : sd_status_bounded(left[i].before) &&
						      sd_status_bounded(left[i].after);
	}
}

enum sd_exit sd_fix_after_look(const struct sd_cli *cli, const struct sd_fix_changed *c,
	const struct sd_fix_plan *plan, const struct sd_analysis *before, struct sd_fix_left *left)
{
	struct sd_contested_lines lines = {0};
	struct sd_diagnosis d = {0};
	enum sd_exit status = measure(cli, c);
	int rc;

	if (status == SD_EXIT_DONE && sd_diagnosis_open(&d, cli, c->record, 0) != 0)
		status = SD_EXIT_MEASURE;
	if (status == SD_EXIT_DONE) {
		rc = c->simulated ? sd_contested_line_list_make(&d.record, 0, 0, &lines)
				  : sd_contested_line_list_native(&d.record, 0, &lines);
		fill_in(plan, before, &d, rc ? NULL : &lines, left);
	}
	sd_contested_lines_free(&lines);
	sd_diagnosis_close(&d);
	return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

void sd_fix_after_say(
	const struct sd_fix_entry *e, const struct sd_fix_left *left, char *out, size_t size)
{
	if (!left->looked)
		snprintf(out, size, "the record of the changed program does not tell");
	else if (*e->object && left->lines)
		snprintf(out, size,
			"still there: %zu contested line%s of %s in the record of the changed "
			"program",
			left->lines, left->lines == 1 ? "" : "s", e->object);
	else if (*e->object)
		snprintf(out, size,
			"gone: the record of the changed program has no contested line of %s",
			e->object);
	else
		snprintf(out, size,
			"%.2f cores (%.2f to %.2f) in the record of the changed program, instead "
			"of %.2f (%.2f to %.2f)",
			left->after.value, left->after.low, left->after.high, left->before.value,
			left->before.low, left->before.high);
}
