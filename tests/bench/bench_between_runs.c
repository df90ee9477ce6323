/*
 * The time between two runs: from the end of the program to the next call of exec, by the record of
 * a diagnosis of a program that sleeps. Each way of measuring in turn, so that all see the same
 * machine.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_output.h"
#include "bench/bench_table.h"

#define TURNS 3
#define GAPS 512

/* clang-format off */
static const struct way {
	const char *text, *option;
} ways[] = {
	{"as it is",               "--samples=auto"},
	{"without precedence",     "--no-shield"},
	{"without samples",        "--samples=none"},
};
/* clang-format on */
#define WAYS (sizeof ways / sizeof *ways)

struct gaps {
	double ms[GAPS];
	size_t n;
};

static double wall_of(const json_t *run)
{
	const json_t *const wall = json_object_get(json_object_get(run, "metrics"), "wall");

	return json_number_value(json_is_object(wall) ? json_object_get(wall, "value") : wall);
}

/* Adds the gaps between the runs of one record; the time before a run that another way of measuring
 * follows counts for nobody. */
static int add_gaps(struct gaps *g, const char *record)
{
	json_t *const root = json_load_file(record, 0, NULL);
	const json_t *const runs = json_object_get(root, "runs");

	for (size_t i = 1; i < json_array_size(runs) && g->n < GAPS; i++) {
		const json_t *const before = json_array_get(runs, i - 1);
		const double end =
			json_number_value(json_object_get(before, "start")) + wall_of(before);

		g->ms[g->n++] = 1e3 * (json_number_value(
					       json_object_get(json_array_get(runs, i), "start")) -
					      end);
	}
	json_decref(root);
	return root && g->n ? 0 : -1;
}

static int diagnose(const struct way *w, const char *record, struct gaps *g)
{
	static char out[1 << 16];
	const char *const given = getenv("SCALEDIAG");
	const char *const argv[] = {given ? given : "build/scalediag", "--cores=1,2", "--repeats=3",
		"--experiments=none", w->option, "-o", record, "--", "/bin/sleep", ".7", NULL};

	remove(record);
	if (bench_output(argv, out, sizeof out) == 0)
		return add_gaps(g, record);
	fprintf(stderr, "bench_between_runs: scalediag failed: %s\n", out);
	return -1;
}

int main(void)
{
	static struct gaps gaps[WAYS];
	char folder[] = "/tmp/bench-between-XXXXXX", record[PATH_MAX];
	const char *const clean[] = {"rm", "-r", folder, NULL};
	char said[256];
	int rc = 0;

	if (!mkdtemp(folder)) {
		perror("bench_between_runs: a folder");
		return 1;
	}
	snprintf(record, sizeof record, "%s/r.json", folder);
	for (int turn = 0; turn < TURNS && !rc; turn++)
		for (size_t i = 0; i < WAYS && !rc; i++)
			rc = diagnose(&ways[i], record, &gaps[i]);
	(void)bench_output(clean, said, sizeof said);
	if (rc)
		return 1;
	bench_head("between two runs", "measured", "ms", "of the first", "n");
	for (size_t i = 0; i < WAYS; i++) {
		struct gaps *const g = &gaps[i];
		struct bench_cell ms;
		char ratio[16], n[16];

		sd_statistics_sort(g->ms, g->n);
		snprintf(ratio, sizeof ratio, "%.2f", g->ms[g->n / 2] / gaps[0].ms[gaps[0].n / 2]);
		snprintf(n, sizeof n, "%zu", g->n);
		ms = bench_cell(g->ms, g->n, 1);
		bench_row("", ways[i].text, ms.text, ratio, n);
	}
	return 0;
}
