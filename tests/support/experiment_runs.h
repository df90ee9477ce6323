/*
 * Experiments of a diagnosis, as its report tells them.
 */
#ifndef SD_TEST_EXPERIMENT_RUNS_H
#define SD_TEST_EXPERIMENT_RUNS_H

#include <string.h>

#include "e2e/e2e.h"
#include "support/tried.h"

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
