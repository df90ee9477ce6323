/*
 * Experiments of a diagnosis, as its report tells them.
 */
#ifndef SD_TEST_EXPERIMENT_RUNS_H
#define SD_TEST_EXPERIMENT_RUNS_H

#include <math.h>
#include <string.h>

#include "e2e/e2e.h"

/* That pairs were made holds on every machine; that they count only where nobody disturbed them:
 * pairs across a change of the machine's state do not. */

/* As many pairs are made of every experiment that was asked for. */
#define TRIED_LEAST 3u
/* Line transfers further apart than this are of two states of the machine
 * (runs/machine_states.c). */
#define TRIED_STATES 1.6

struct tried {
	size_t pairs; /* made, at the largest count, whether they count or not */
	int mixed;    /* a run of theirs, or of the points, saw the state change */
	double near, far;
};

static inline double tried_metric(const json_t *run, const char *name)
{
	const json_t *v = json_object_get(json_object_get(run, "metrics"), name);

	/* a number, or one whose quality is told as well */
	return json_number_value(json_is_object(v) ? json_object_get(v, "value") : v);
}

static inline void tried_disturbance(struct tried *t, const json_t *run)
{
	static const char *const line[] = {"line_before", "line_after"};
	const json_t *flag;
	size_t i;

	json_array_foreach(json_object_get(run, "flags"), i, flag) t->mixed |=
		strcmp(json_string_value(flag), "mixed") == 0;
	for (i = 0; i < 2; i++) {
		const double v = tried_metric(run, line[i]);

		if (v > 0) {
			t->near = fmin(t->near, v);
			t->far = fmax(t->far, v);
		}
	}
}

/* Sums the experiment of this name in a record of 1 and 2 cores. */
static inline struct tried tried_of(const char *path, const char *name)
{
	json_t *const record = json_load_file(path, 0, NULL);
	const json_t *const plan = json_object_get(json_object_get(record, "plan"), "experiments");
	struct tried t = {.near = INFINITY};
	const json_t *run;
	size_t i;

	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const tried = json_object_get(run, "tried");
		const json_t *const which = json_array_get(
			plan, (size_t)json_integer_value(json_object_get(tried, "experiment")));
		const char *const arm = json_string_value(json_object_get(tried, "arm"));

		tried_disturbance(&t, run);
		t.pairs += arm && strcmp(arm, "changed") == 0 &&
			   json_integer_value(json_object_get(run, "point")) ==
				   json_integer_value(json_object_get(which, "point")) &&
			   strcmp(json_string_value(json_object_get(which, "name")), name) == 0;
	}
	json_decref(record);
	return t;
}

/* Why pairs of this record need not count; NULL: nothing kept them from it. */
static inline const char *tried_changed(const struct tried *t)
{
	if (t->mixed)
		return "the machine's state changed within a run";
	return t->far >= TRIED_STATES * t->near ? "the machine changed its state" : NULL;
}

static inline const json_t *experiment(const json_t *report, const char *name)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(report, "experiments"), i, e)
	{
		if (strcmp(json_string_value(json_object_get(e, "name")), name) == 0)
			return e;
	}
	fail_msg("the report has no experiment %s", name);
	return NULL;
}

static inline const char *skipped(const json_t *report, const char *name)
{
	const char *why = json_string_value(json_object_get(experiment(report, name), "skipped"));

	return why ? why : "";
}

/* The experiment was carried out, on whatever machine. */
static inline void expect_tried(struct e2e *e, const json_t *report, const char *name)
{
	const json_t *const cost = json_object_get(experiment(report, name), "cost_s");

	assert_string_equal(skipped(report, name), "");
	assert_true(json_number_value(cost) > 0);
	assert_true(tried_of(e2e_path(e, "r.json"), name).pairs >= TRIED_LEAST);
}

/* And its pairs count, where the machine stayed in one state; skips where it did not. */
static inline void expect_counted(
	struct e2e *e, const json_t *report, const char *name, const char *test)
{
	const json_t *const pairs = json_object_get(experiment(report, name), "pairs");
	struct tried t;

	expect_tried(e, report, name);
	if (json_integer_value(pairs) >= TRIED_LEAST)
		return;
	t = tried_of(e2e_path(e, "r.json"), name);
	if (tried_changed(&t))
		e2e_skip(test, tried_changed(&t));
	fail_msg("%s: %d pairs count of the %zu made in one state", name,
		(int)json_integer_value(pairs), t.pairs);
}

static inline const json_t *diagnose(
	struct e2e *e, const char *which, const char *program, const char *a)
{
	struct e2e_result r;
	const json_t *report;

	e2e_run(e, &r, "--cores", "1,2", "--repeats", "3", "--seed", "1", "--samples", "none",
		"--experiments", which, "-o", "r.json", "--json", "--", e2e_program(e, program), a);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	return report;
}

#endif
