#include "hotspots/task_span.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* A chain of fewer tasks, or of a shorter time, is mostly what stands between them. */
#define LEAST_TASKS 8
#define LEAST_WORK 1e-3

/* s; a task's begin and end take 50 to 200 ns to note, of which it would be too large a part. */
#define LEAST_TASK 2e-6

/* Tasks, and work, that differ by more between two counts are not of one algorithm. */
#define SAME_TASKS .1
#define SAME_WORK 1.5

/* ---- one run --------------------------------------------------------------------------------- */

static enum sd_span_state state_of(const struct sd_region_time *r)
{
	if (r->processes > 1)
		return SD_SPAN_PROCESSES;
	if (r->dependent > 0)
		return SD_SPAN_DEPENDENCES;
	return r->unspanned > 0 || r->nested > 0 || r->whole > 0 || !(r->task_work > 0)
		       ? SD_SPAN_UNFOLLOWED
		       : SD_SPAN_TOLD;
}

static void add_region(const struct sd_region_time *r, struct sd_task_span_run *t)
{
	const double threads = r->elapsed > 0 ? r->thread_s / r->elapsed : 0;

	if (r->nested < r->entries)
		t->rest -= r->elapsed;
	if (!(r->tasks > 0)) {
		if (r->nested < r->entries)
			t->loops += fmax(0, r->thread_s - r->lock - r->scheduling - r->barrier);
		return;
	}
	if (t->state == SD_SPAN_NO_TASKS || t->state == SD_SPAN_TOLD)
		t->state = state_of(r);
	t->tasks += r->tasks;
	t->work += r->task_work;
	t->span += r->task_span;
	t->task_loop += r->loop_span * threads;
}

/* Waits of the time outside of regions, for a CPU or a disk, are the machine's: it is no longer
 * than the CPU time that the tasks leave. */
struct sd_task_span_run sd_task_span_of(const struct sd_region_run *r, double wall, double cpu)
{
	struct sd_task_span_run t = {.state = SD_SPAN_NO_TASKS, .rest = wall};

	for (size_t i = 0; r && i < r->n_row; i++)
		if (r->row[i].kind == SD_REGION_OPENMP)
			add_region(&r->row[i], &t);
	t.rest = fmax(0, fmin(t.rest, cpu - t.work));
	if (t.state == SD_SPAN_TOLD && r->no_row > 0)
		t.state = SD_SPAN_UNFOLLOWED;
	if (t.state == SD_SPAN_TOLD &&
		(t.tasks < LEAST_TASKS || t.work < LEAST_WORK || t.work / t.tasks < LEAST_TASK))
		t.state = SD_SPAN_FEW;
	return t;
}

double sd_task_span_work(const struct sd_task_span_run *t)
{
	return t->rest + t->work + t->loops;
}

double sd_task_span_least(const struct sd_task_span_run *t, double p)
{
	return t->rest + t->loops / p + fmax(t->work / p, t->span + t->task_loop / p);
}

/* s on p cores that a greedy schedule takes at most (Graham 1969, Brent 1974). */
static double greedy_most(const struct sd_task_span_run *t, double p)
{
	return t->rest + t->loops / p +
	       fmax(t->work / p + (1 - 1 / p) * t->span, t->span + t->task_loop / p);
}

/* ---- the runs of a point --------------------------------------------------------------------- */

struct runs {
	struct sd_task_span_run *run; /* those that are told */
	double *v;
	size_t n;
};

static double parallelism(const struct sd_task_span_run *t, double p)
{
	(void)p;
	return sd_task_span_work(t) / fmax(t->rest + t->span, 1e-9);
}

static double work(const struct sd_task_span_run *t, double p)
{
	(void)p;
	return sd_task_span_work(t);
}

static double span(const struct sd_task_span_run *t, double p)
{
	(void)p;
	return t->rest + t->span;
}

static double tasks(const struct sd_task_span_run *t, double p)
{
	(void)p;
	return t->tasks;
}

static double most_speedup(const struct sd_task_span_run *t, double p)
{
	return sd_task_span_work(t) / sd_task_span_least(t, p);
}

static double greedy_speedup(const struct sd_task_span_run *t, double p)
{
	return sd_task_span_work(t) / greedy_most(t, p);
}

static struct sd_interval over_runs(
	const struct runs *r, double (*of)(const struct sd_task_span_run *t, double p), double p)
{
	for (size_t i = 0; i < r->n; i++)
		r->v[i] = of(&r->run[i], p);
	return sd_statistics_order(r->v, r->n);
}

static double cpu_of(const struct sd_run *run)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      system = run->metric[SD_METRIC_SYSTEM];

	return sd_has(user) && sd_has(system) ? user.value + system.value : INFINITY;
}

static void fill_point(const struct sd_chosen *p, struct runs *r, struct sd_span_point *out)
{
	*out = (struct sd_span_point){.cores = p->cores, .state = SD_SPAN_NO_TASKS};
	r->n = 0;
	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_task_span_run t = sd_task_span_of(
			p->run[j]->regions, sd_run_whole(p->run[j]).value, cpu_of(p->run[j]));

		if (t.state == SD_SPAN_TOLD)
			r->run[r->n++] = t;
		else if (out->state == SD_SPAN_NO_TASKS)
			out->state = t.state;
	}
	/* one run that could not be followed shows what there is in all of them */
	if (out->state != SD_SPAN_NO_TASKS || !r->n)
		return;
	out->state = SD_SPAN_TOLD;
	out->runs = r->n;
	out->tasks = over_runs(r, tasks, 0).value;
	out->work = over_runs(r, work, 0);
	out->span = over_runs(r, span, 0);
	out->parallelism = over_runs(r, parallelism, 0);
	for (size_t k = 0; k < SD_SPAN_AT_COUNT; k++) {
		out->limit[k] = over_runs(r, most_speedup, sd_span_cores[k]);
		out->greedy[k] = over_runs(r, greedy_speedup, sd_span_cores[k]);
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The state that all points have, or the first that is not told. */
static enum sd_span_state common_state(const struct sd_span_limits *l)
{
	const struct sd_span_point *const first = &l->point[0];

	for (size_t i = 0; i < l->n_point; i++)
		if (l->point[i].state != SD_SPAN_TOLD)
			return l->point[i].state;
	for (size_t i = 1; i < l->n_point; i++) {
		const struct sd_span_point *const p = &l->point[i];
		const double grown = p->work.value / first->work.value;

		if (fabs(p->tasks - first->tasks) > SAME_TASKS * first->tasks ||
			grown > SAME_WORK || grown < 1 / SAME_WORK)
			return SD_SPAN_VARIES;
	}
	return SD_SPAN_TOLD;
}

static struct sd_interval hull(const struct sd_span_limits *l, size_t k)
{
	struct sd_interval all = l->point[0].limit[k];

	for (size_t i = 1; i < l->n_point; i++) {
		all.low = fmin(all.low, l->point[i].limit[k].low);
		all.high = fmax(all.high, l->point[i].limit[k].high);
	}
	return all;
}

static const char *const reason[SD_SPAN_STATE_COUNT] = {
	[SD_SPAN_PROCESSES] = "several processes make tasks, and what they wait for of each other "
			      "is not seen",
	[SD_SPAN_DEPENDENCES] = "its tasks wait for each other by 'depend', which is not followed",
	[SD_SPAN_UNFOLLOWED] = "some of its tasks were not followed: of a taskloop, detached, in a "
			       "region inside of another, or of a runtime that is not GCC's",
	[SD_SPAN_FEW] = "it makes too few tasks, or too short ones (less than 2 us each) to time",
	[SD_SPAN_VARIES] = "the number of its tasks, or the CPU time of their work, differs too "
			   "much between core counts",
};

static int say_limit(struct sd_span_limits *l)
{
	const struct sd_span_point *const p = &l->point[0];
	int rc = sd_texts_add(&l->notes,
		"The algorithm allows at most %.1fx on 16 cores and %.1fx on 64 (task span), whatever "
		"the machine",
		l->limit[SD_SPAN_AT_16].value, l->limit[SD_SPAN_AT_64].value);

	if (!rc)
		rc = sd_texts_add(&l->notes,
			"A greedy schedule without overhead reaches at least %.1fx on 16 cores and "
			"%.1fx on 64",
			p->greedy[SD_SPAN_AT_16].value, p->greedy[SD_SPAN_AT_64].value);
	return rc;
}

static int say(struct sd_span_limits *l)
{
	return l->state == SD_SPAN_TOLD
		       ? say_limit(l)
		       : sd_texts_add(&l->notes, "No limit of the algorithm is told: %s",
				 reason[l->state]);
}

static int fill_points(
	const struct sd_run_selection *choice, struct runs *r, struct sd_span_limits *out)
{
	for (size_t i = 0; i < choice->n_point; i++) {
		fill_point(&choice->point[i], r, &out->point[out->n_point]);
		out->n_point += out->point[out->n_point].state != SD_SPAN_NO_TASKS;
	}
	if (!out->n_point) {
		out->state = SD_SPAN_NO_TASKS;
		return 0;
	}
	out->state = common_state(out);
	for (size_t k = 0; k < SD_SPAN_AT_COUNT && out->state == SD_SPAN_TOLD; k++)
		out->limit[k] = hull(out, k);
	return say(out);
}

int sd_task_span_fill(const struct sd_run_selection *choice, struct sd_span_limits *out)
{
	struct runs r = {0};
	size_t most = 0;
	int rc = -ENOMEM;

	for (size_t i = 0; i < choice->n_point; i++)
		most = choice->point[i].n_run > most ? choice->point[i].n_run : most;
	out->point = calloc(choice->n_point + 1, sizeof *out->point);
	r.run = calloc(most + 1, sizeof *r.run);
	r.v = calloc(most + 1, sizeof *r.v);
	if (out->point && r.run && r.v)
		rc = fill_points(choice, &r, out);
	free(r.run);
	free(r.v);
	return rc;
}
