/*
 * Counts of the software PMU in both versions of a lesson.
 */
#ifndef SD_TEST_LESSON_COUNTS_H
#define SD_TEST_LESSON_COUNTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2e/e2e.h"
#include "support/lesson_list.h"

/* Results of the simulated machine for a version, at its largest count. */
struct simulated {
	double count;     /* what the lesson counts */
	char sharing[16]; /* of the line that moved most: "false", "true", "mixed"; "" none */
	int wastes;       /* what the lesson says that broken.c does */
};

static inline json_t *lines_of(struct e2e *e, const char *record)
{
	struct e2e_result r;
	json_t *root;

	e2e_run(e, &r, "lines", "--format", "json", record);
	e2e_expect_status(&r, 0);
	root = json_loadb(r.out, r.n_out, 0, NULL);
	assert_non_null(root);
	e2e_result_free(&r);
	return root;
}

static inline double of_thread(const json_t *thread, const char *name)
{
	const json_t *const v = json_object_get(thread, name);

	assert_true(json_is_number(v));
	return json_number_value(v);
}

/* The names of LESSON.md's counts, in the words of `scalediag lines`. */
static inline double count_of(const json_t *root, const char *what)
{
	const json_t *t;
	double all = 0, most = 0;
	size_t i;

	json_array_foreach(json_object_get(root, "threads"), i, t)
	{
		const double instructions = of_thread(t, "instructions");

		most = instructions > most ? instructions : most;
		if (strcmp(what, "instructions") == 0)
			all += instructions;
		else if (strcmp(what, "lines") == 0)
			all += of_thread(t, "llc_misses");
		else if (strcmp(what, "walks") == 0)
			all += of_thread(t, "stlb_misses");
		else if (strcmp(what, "moves") == 0)
			all += of_thread(t, "hitm_load") + of_thread(t, "hitm_store");
		else if (strcmp(what, "pages") == 0)
			all += of_thread(t, "pages") * of_thread(t, "shared_pages");
		else
			assert_string_equal(what, "longest");
	}
	return strcmp(what, "longest") == 0 ? most : all;
}

/* The cycles of the longest thread at the largest count of a record. */
static inline double cycles_of(struct e2e *e, const char *record)
{
	json_t *const root = json_load_file(e2e_path(e, record), 0, NULL);
	double cycles = 0;
	const json_t *run;
	size_t i;

	assert_non_null(root);
	json_array_foreach(json_object_get(root, "runs"), i, run)
	{
		const json_t *const s = json_object_get(run, "simulated");

		if (s && json_integer_value(json_object_get(run, "point")) == 1)
			cycles = of_thread(s, "cycles");
	}
	json_decref(root);
	return cycles;
}

static inline int is_found(const json_t *root, const char *waste)
{
	const json_t *w;
	size_t i;

	json_array_foreach(json_object_get(root, "waste"), i, w)
	{
		if (strcmp(json_string_value(json_object_get(w, "kind")), waste) == 0)
			return json_is_true(json_object_get(w, "found"));
	}
	return 0;
}

static inline void simulate(struct e2e *e, const char *name, const char *version, const char *what,
	struct simulated *out)
{
	const char *const always = head(e, name, "simulate");
	char program[320], machine[256],
		*args = strdup(*always ? always : head(e, name, "stand_in"));
	const char *const words[] = {strtok(args, " "), strtok(NULL, " ")};
	const char *sharing;
	struct e2e_result r;
	json_t *root;

	*out = (struct simulated){0};
	snprintf(machine, sizeof machine, "%s", head(e, name, "machine"));
	snprintf(program, sizeof program, "%s/%s", name, version);
	e2e_run(e, &r, "--json", "--events", "sim", "--cores", "1,2", "--repeats", "1",
		"--experiments", "none", "--samples", "none", "--machine",
		*machine ? machine : "host", "-o", "sim.json", "--", e2e_path(e, program), words[0],
		words[1]);
	free(args);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	root = lines_of(e, "sim.json");
	out->count = strcmp(what, "cycles") == 0 ? cycles_of(e, "sim.json") : count_of(root, what);
	out->wastes = is_found(root, head(e, name, "waste"));
	sharing = json_string_value(
		json_object_get(json_array_get(json_object_get(root, "lines"), 0), "sharing"));
	snprintf(out->sharing, sizeof out->sharing, "%s", sharing ? sharing : "");
	json_decref(root);
	unlink(e2e_path(e, "sim.json"));
}

/* Counts need no quiet machine: the cause is in the broken version, and not in the fixed one. */
static inline void tell_apart(struct e2e *e, const char *name, const char *causes, const char *cc)
{
	struct simulated broken, fixed;
	char what[32];
	double times;

	assert_int_equal(sscanf(head(e, name, "counts"), "%31s %lf", what, &times), 2);
	simulate(e, name, "broken", what, &broken);
	simulate(e, name, "fixed", what, &fixed);
	print_message(
		"%s, %s, simulated: %s %.4g and %.4g\n", name, cc, what, broken.count, fixed.count);
	assert_true(broken.count > times * fixed.count);
	if (*head(e, name, "waste")) {
		assert_true(broken.wastes);
		assert_false(fixed.wastes);
	}
	if (strncmp(causes, "false-sharing", 13) == 0 || strncmp(causes, "true-sharing", 12) == 0)
		assert_true(*broken.sharing && strncmp(causes, broken.sharing, 4) == 0);
}

#endif
