/* Makes a record of what was imported: its points, its pass, and what was left out. */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields/fields.h"
#include "import/event_hints.h"
#include "import/script_profile.h"

/* A count that had less of the time than this is no measure of time (METHODS 2.2). */
#define RUNNING .9

/* Cycles of a run; 0: not counted. */
static double cycles_of(const struct sd_run *run, enum sd_role role)
{
	const struct sd_role_count *const c = sd_run_role(run, role);

	return c && sd_has(c->value) && c->running >= RUNNING ? c->value.value / c->running : 0;
}

/* Does every run have these cycles and no CPU time? */
static int is_of_all(const struct sd_import *im, enum sd_role role)
{
	for (size_t i = 0; i < im->record.n_run; i++) {
		const struct sd_run *const run = &im->record.run[i];

		if (run->kind == SD_RUN_BLOCK &&
			(!(cycles_of(run, role) > 0) ||
				run->metric[SD_METRIC_TASK_CLOCK].status != SD_STATUS_ABSENT ||
				run->metric[SD_METRIC_USER].status != SD_STATUS_ABSENT))
			return 0;
	}
	return 1;
}

/* Core-seconds in which its cores may have run. */
static double busy_most(const struct sd_import *im, size_t i)
{
	const struct sd_run *const run = &im->record.run[i];
	double s = im->cores[i] * run->metric[SD_METRIC_WALL].value;

	for (int k = 0; k < SD_IDLE_COUNT; k++)
		if (sd_has(run->idle[k]))
			s -= run->idle[k].value;
	return s;
}

/* Cycles a second of a core that is busy; 0: its waits leave none. */
static double rate_of(const struct sd_import *im, enum sd_role role, unsigned least)
{
	double rate = 0;

	for (size_t i = 0; i < im->record.n_run; i++)
		if (im->cores[i] == least && busy_most(im, i) > 0)
			rate = fmax(rate, cycles_of(&im->record.run[i], role) / busy_most(im, i));
	return rate;
}

static void put(struct sd_import *im, enum sd_role role, double rate)
{
	for (size_t i = 0; i < im->record.n_run; i++) {
		struct sd_run *const run = &im->record.run[i];
		const double most = im->cores[i] * run->metric[SD_METRIC_WALL].value;

		if (run->kind != SD_RUN_BLOCK)
			continue;
		run->metric[SD_METRIC_TASK_CLOCK] = SD_OK(fmin(most, cycles_of(run, role) / rate));
		if (role == SD_ROLE_CYCLES)
			run->flags |= SD_RUN_BY_CYCLES;
	}
}

/*
 * Makes CPU times where no run has them and every run has its cycles: cycles at a fixed rate if
 * they are there, else core cycles, at the rate that leaves the cores of the smallest count busy
 * throughout, but for the waits that the file says. Said, and marked in the runs. 0 or -ENOMEM.
 */
static int make_cycle_times(struct sd_import *im, const struct sd_sink *sink)
{
	static const enum sd_role roles[] = {SD_ROLE_REF_CYCLES, SD_ROLE_CYCLES};
	unsigned least = im->record.n_run ? im->cores[0] : 0;

	for (size_t i = 1; i < im->record.n_run; i++)
		least = im->cores[i] < least ? im->cores[i] : least;
	for (size_t k = 0; k < sizeof roles / sizeof *roles; k++) {
		const double rate = is_of_all(im, roles[k]) ? rate_of(im, roles[k], least) : 0;

		if (!(rate > 0))
			continue;
		put(im, roles[k], rate);
		sd_say(sink, SD_LEVEL_NOTE,
			"the files have no CPU times: taken from the cycles, %.3g GHz, as if %u "
			"core%s had been busy throughout",
			rate * 1e-9, least, least == 1 ? "" : "s");
		return sd_texts_add(&im->record.warnings,
			"imported: no CPU times: taken from the cycles, %.3g GHz, as if the run on "
			"%u core%s had never waited",
			rate * 1e-9, least, least == 1 ? "" : "s");
	}
	return 0;
}

static int by_count(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* A point for each count, bound nowhere in particular: the CPUs were not told. */
static int make_points(struct sd_import *im, const struct sd_sink *sink)
{
	struct sd_plan *plan = &im->record.plan;
	size_t n = im->record.n_run, cpus = 0;
	unsigned *sorted = reallocarray(NULL, n, sizeof *sorted);

	plan->point = calloc(n, sizeof *plan->point);
	if (!sorted || !plan->point) {
		free(sorted);
		return -ENOMEM;
	}
	memcpy(sorted, im->cores, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_count);
	for (size_t i = 0; i < n; i++) {
		struct sd_plan_point *p = &plan->point[plan->n_point];

		if (i > 0 && sorted[i] == sorted[i - 1])
			continue;
		cpus += sorted[i];
		if (plan->n_point >= SD_RECORD_POINTS || cpus > SD_RECORD_CPUS) {
			free(sorted);
			sd_say(sink, SD_LEVEL_ERROR, "too many core counts");
			return -EINVAL;
		}
		plan->n_point++;
		p->cores = sorted[i];
		p->cpus.cpu = calloc(sorted[i], sizeof *p->cpus.cpu);
		if (!p->cpus.cpu) {
			free(sorted);
			return -ENOMEM;
		}
		for (unsigned k = 0; k < sorted[i]; k++)
			p->cpus.cpu[p->cpus.n++] = k;
	}
	free(sorted);
	return 0;
}

/* The points are in the order of their counts. */
static void find_points(struct sd_import *im)
{
	struct sd_record *const r = &im->record;

	for (size_t i = 0; i < r->n_run; i++) {
		size_t first = 0, beyond = r->plan.n_point;

		while (beyond - first > 1) {
			const size_t middle = first + (beyond - first) / 2;

			if (r->plan.point[middle].cores <= im->cores[i])
				first = middle;
			else
				beyond = middle;
		}
		r->run[i].point = first;
	}
}

/* One pass of all roles that any run has: how they were counted is in each count. */
static int make_pass(struct sd_record *r)
{
	unsigned char seen[SD_ROLE_COUNT] = {0};
	size_t n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		for (size_t k = 0; k < r->run[i].n_role; k++)
			if (!seen[r->run[i].role[k].role]) {
				seen[r->run[i].role[k].role] = 1;
				n++;
			}
	if (n == 0)
		return 0;
	r->plan.pass = calloc(1, sizeof *r->plan.pass);
	if (!r->plan.pass)
		return -ENOMEM;
	r->plan.n_pass = 1;
	r->plan.pass[0].role = calloc(n, sizeof *r->plan.pass[0].role);
	if (!r->plan.pass[0].role)
		return -ENOMEM;
	for (int role = 0; role < SD_ROLE_COUNT; role++)
		if (seen[role])
			r->plan.pass[0].role[r->plan.pass[0].n_role++] = (enum sd_role)role;
	return 0;
}

/* So many events tell a CPU as well as all do. */
#define ASKED_MOST 8u
#define MAPS_MOST 256u

/* How many of the unknown events a map has. */
static size_t known_to(const struct sd_import *im, const struct sd_event_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < im->unknown.n && i < ASKED_MOST; i++) {
		int found = 0;

		for (int r = 0; r < SD_ROLE_COUNT && !found; r++)
			for (size_t e = 0; e < map->roles[r].n && !found; e++)
				found = sd_event_names_is(
					im->unknown.text[i], &map->roles[r].events[e]);
		n += (size_t)found;
	}
	return n;
}

/* The CPUs that have most of the unknown events: "; events of skl, skx". */
static void suggest_cpus(const struct sd_import *im, char *out, size_t size)
{
	const struct sd_eventmaps *const maps = im->cpu.maps;
	size_t known[MAPS_MOST] = {0}, best = 0, used = 0, more = 0;

	*out = '\0';
	for (size_t i = 0; maps && i < maps->n && i < MAPS_MOST; i++) {
		known[i] = known_to(im, &maps->map[i]);
		best = known[i] > best ? known[i] : best;
	}
	for (size_t i = 0; best && i < maps->n && i < MAPS_MOST; i++) {
		if (known[i] != best)
			continue;
		if (used + 48 > size) {
			more++;
			continue;
		}
		used += (size_t)snprintf(out + used, size - used, "%s%.30s",
			used ? ", " : "; events of ", maps->map[i].family);
	}
	if (more)
		snprintf(out + used, size - used, " and %zu more", more);
}

/* Says what was in the files and is in no role: a list, as long as a line. */
static int say_unknown(struct sd_import *im, const struct sd_sink *sink)
{
	char list[600] = "", cpus[200];
	size_t n = 0, i = 0;

	for (; i < im->unknown.n && n + 160 < sizeof list; i++) {
		char why[96] = "";

		if (im->cpu.map)
			sd_event_hint_text(im->cpu.map, im->unknown.text[i], why, sizeof why);
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%.60s%s", i ? ", " : "",
			im->unknown.text[i], why);
	}
	if (i == 0)
		return 0;
	if (i < im->unknown.n)
		snprintf(list + n, sizeof list - n, " and %zu more", im->unknown.n - i);
	if (im->cpu.map) {
		sd_say(sink, SD_LEVEL_WARNING,
			"not used, since no role of %s is made of them: %s (scalediag events --cpu "
			"%s names those that are)",
			im->cpu.map->title, list, im->cpu.map->family);
	} else {
		suggest_cpus(im, cpus, sizeof cpus);
		sd_say(sink, SD_LEVEL_WARNING,
			"not used: %s; which events these are depends on the CPU, which the file "
			"does not name: say it with --cpu NAME%s",
			list, cpus);
	}
	return sd_texts_add(&im->record.warnings, "imported: not used: %s", list);
}

int sd_import_finish(struct sd_import *im, const char *program, const struct sd_sink *sink)
{
	struct sd_record *r = &im->record;
	int rc;

	if (r->n_run == 0) {
		sd_say(sink, SD_LEVEL_ERROR, "there is no measurement in what was given");
		return -EINVAL;
	}
	rc = make_points(im, sink);
	if (rc)
		return rc;
	find_points(im);
	rc = make_cycle_times(im, sink);
	rc = rc ? rc : sd_script_profile_scale(im, sink);
	rc = rc ? rc : make_pass(r);
	rc = rc ? rc : say_unknown(im, sink);
	rc = rc ? rc : sd_thin_runs_say(im, sink);
	snprintf(r->tool_version, sizeof r->tool_version, "%s", SD_VERSION);
	r->plan.seed = 1;
	r->plan.min_repeats = r->plan.max_repeats = 1;
	r->host.perf_paranoid = -100;
	r->complete = 1;
	if (!rc)
		rc = sd_texts_add(&r->program.argv, "%s", program);
	if (!rc)
		rc = sd_texts_add(&r->warnings, "imported: where the threads ran, what else ran on "
						"the machine and how long each "
						"wait was are known only as far as the file says");
	return rc;
}
