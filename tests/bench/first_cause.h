/*
 * The first finding of a run of paper WORD CORES TIMES on a modelled machine, by the command that
 * the manual has.
 */
#ifndef SD_TESTS_FIRST_CAUSE_H
#define SD_TESTS_FIRST_CAUSE_H

#include <stdio.h>
#include <unistd.h>

#include <jansson.h>

#include "bench/bench_output.h"

struct first_cause {
	char cause[32], verdict[24]; /* "": none */
	double cores;
	int scales;
};

/* The record goes to `path`, and from there. */
static inline struct first_cause first_cause_of(const char *scalediag, const char *program,
	const char *machine, const char *cores, const char *word, const char *times,
	const char *path)
{
	static char out[1 << 21];
	const char *const run[] = {scalediag, "--events", "model", "--machine", machine, "--cores",
		cores, "--multiplex", "-o", path, program, word, "{n}", times, NULL};
	const char *const report[] = {scalediag, "report", "--json", path, NULL};
	struct first_cause f = {"", "", 0, 0};
	const char *cause = NULL, *verdict = NULL;
	json_t *all = NULL, *first;

	if (bench_output(run, out, sizeof out) == 0 && bench_output(report, out, sizeof out) == 0)
		all = json_loads(out, 0, NULL);
	first = json_array_get(json_object_get(all, "findings"), 0);
	cause = json_string_value(json_object_get(first, "cause"));
	verdict = json_string_value(json_object_get(first, "verdict"));
	if (cause && verdict) {
		snprintf(f.cause, sizeof f.cause, "%s", cause);
		snprintf(f.verdict, sizeof f.verdict, "%s", verdict);
	}
	f.cores = json_number_value(json_object_get(json_object_get(first, "cores"), "value"));
	f.scales = json_is_true(json_object_get(all, "scales"));
	unlink(path);
	json_decref(all);
	return f;
}

#endif
