/*
 * Reads what a report says of a dose, and what the runs that it is of said themselves.
 */
#ifndef DOSE_ANSWER_H
#define DOSE_ANSWER_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accuracy/truth_command.h"
#include "accuracy/truth_gain.h"
#include "base/statistics.h"
#include "doses/dose_log.h"

#define DOSE_RUNS 256

/* A cause of the dose program. `words`: separated by spaces. */
struct dose_row {
	const char *name;
	enum dose_class { DOSE_WAITS, DOSE_KERNEL, DOSE_SLOWER, DOSE_CLASSES } class;
	enum dose_start { DOSE_THREADS, DOSE_RANKS, DOSE_QUOTA } start;
	int grows;              /* what its steps take on one core is no loss */
	int same;               /* the good form takes as long as the other on one core */
	const char *components; /* of the stack, whose sum has its cores */
	const char *causes;     /* any of these is right; "": none may be named */
};

/* The lines of a log; 0 where it cannot be read, or a line is none. */
static inline size_t dose_read_log(const char *path, struct dose_line line[DOSE_RUNS])
{
	FILE *const f = fopen(path, "re");
	char text[DOSE_TEXT];
	size_t n = 0;

	while (f && n < DOSE_RUNS && fgets(text, sizeof text, f))
		if (dose_read(text, &line[n++])) {
			n = 0;
			break;
		}
	if (f)
		fclose(f);
	return n;
}

/* Cores that the k-th cause took of runs by n threads: the median of what its steps cost by wall
 * time, and where they are work that one thread does as well without what that takes. NAN: there
 * are no such runs. */
static inline double dose_amount(
	const struct dose_line *line, size_t lines, unsigned n, size_t k, int grows)
{
	double alone[DOSE_RUNS], cores[DOSE_RUNS], base = 0;
	size_t a = 0, c = 0;

	for (size_t i = 0; i < lines; i++)
		if (line[i].threads == 1)
			alone[a++] = line[i].cause[k].cost;
	if (grows && a)
		base = sd_statistics_median(alone, a);
	for (size_t i = 0; i < lines; i++)
		if (line[i].threads == n)
			cores[c++] = (line[i].cause[k].cost - base) / line[i].wall;
	return c && (a || !grows) ? sd_statistics_median(cores, c) : NAN;
}

/* s of a run by n threads, the median; NAN: there is none. *ready: the share of their time in which
 * its threads had no CPU though they could have run. */
static inline double dose_wall(
	const struct dose_line *line, size_t lines, unsigned n, double *ready)
{
	double wall[DOSE_RUNS], waited[DOSE_RUNS];
	size_t k = 0;

	for (size_t i = 0; i < lines; i++)
		if (line[i].threads == n) {
			wall[k] = line[i].wall;
			waited[k++] = line[i].ready / (n * line[i].wall);
		}
	*ready = k ? sd_statistics_median(waited, k) : NAN;
	return k ? sd_statistics_median(wall, k) : NAN;
}

static inline struct sd_interval dose_interval(const json_t *f, const char *key)
{
	const json_t *const range = json_object_get(f, key);
	const double value = gain_number(range, "value", NAN);

	return (struct sd_interval){.value = value,
		.low = gain_number(range, "low", value),
		.high = gain_number(range, "high", value),
		.status = isnan(value) ? SD_STATUS_ABSENT : SD_STATUS_OK};
}

/* Cores of these components at the largest count; ends are added as if they went together. */
static inline struct sd_interval dose_components(const json_t *root, const char *words)
{
	const json_t *const points = json_object_get(root, "points"), *part;
	const json_t *const last = json_array_get(points, json_array_size(points) - 1);
	struct sd_interval sum = {.status = SD_STATUS_OK};
	size_t i;

	json_array_foreach(json_object_get(last, "stack"), i, part)
	{
		const struct sd_interval cores = dose_interval(part, "cores");

		if (!listed(words, string_of(part, "component")) || cores.status != SD_STATUS_OK)
			continue;
		sum.value += cores.value;
		sum.low += cores.low;
		sum.high += cores.high;
	}
	return sum;
}

/* The finding of one of these causes that has the most cores; NULL: none is told with any. */
static inline const json_t *dose_finding(const json_t *root, const char *causes)
{
	const json_t *f, *best = NULL;
	double most = 0;
	size_t i;

	json_array_foreach(json_object_get(root, "findings"), i, f)
	{
		const double high = gain_number(json_object_get(f, "cores"), "high", 0);

		if (*causes && listed(causes, string_of(f, "cause")) && high > most) {
			best = f;
			most = high;
		}
	}
	return best;
}

#endif
