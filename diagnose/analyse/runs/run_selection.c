#include "runs/run_selection.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "record/disturbed_runs.h"
#include "base/statistics.h"
#include "runs/constant_phases.h"
#include "runs/kept_state.h"

/* No process starts and ends within a microsecond. */
#define SHORTEST 1e-6

/* Once in thirty years: less is not a throughput. */
#define SLOWEST 1e-9

double sd_run_selection_time(const struct sd_record *record, const struct sd_run *run)
{
	struct sd_value wall = run->metric[SD_METRIC_WALL], rate = run->metric[SD_METRIC_RATE];

	if (!sd_run_parts_usable(wall) || wall.value < SHORTEST)
		return 0;
	if (!record->program.rate)
		return wall.value;
	return sd_run_parts_usable(rate) && rate.value >= SLOWEST ? 1 / rate.value : 0;
}

static int ended_well(const struct sd_record *record, const struct sd_run *run)
{
	return sd_run_ended_well(run) && sd_run_selection_time(record, run) > 0;
}

static int counts(const struct sd_record *record, const struct sd_run *run)
{
	return run->kind == SD_RUN_BLOCK && run->point < record->plan.n_point;
}

static unsigned stack_cores(const struct sd_plan_point *p)
{
	return p->cpus.n > 0 ? sd_plan_stack_cores(p) : p->cores;
}

/* Sorts the runs into their points; everything is allocated here, later steps only drop runs. */
static int bucket(const struct sd_record *record, struct sd_run_selection *c)
{
	c->point = calloc(record->plan.n_point ? record->plan.n_point : 1, sizeof *c->point);
	c->drift = calloc(record->n_run ? record->n_run : 1, sizeof(const struct sd_run *));
	if (!c->point || !c->drift)
		return -ENOMEM;
	c->n_point = record->plan.n_point;
	for (size_t i = 0; i < record->n_run; i++)
		if (counts(record, &record->run[i]))
			c->point[record->run[i].point].n_run++;
	for (size_t i = 0; i < c->n_point; i++) {
		struct sd_chosen *p = &c->point[i];

		p->plan = i;
		p->cores = record->plan.point[i].cores;
		p->n = stack_cores(&record->plan.point[i]);
		p->run = calloc(p->n_run ? p->n_run : 1, sizeof(const struct sd_run *));
		p->parts = calloc(p->n_run ? p->n_run : 1, sizeof *p->parts);
		if (!p->run || !p->parts)
			return -ENOMEM;
		p->n_run = 0;
	}
	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_run *run = &record->run[i];

		if (counts(record, run) && ended_well(record, run))
			c->point[run->point].run[c->point[run->point].n_run++] = run;
		else if (counts(record, run))
			c->point[run->point].n_failed++;
		else if (run->kind == SD_RUN_DRIFT && ended_well(record, run))
			c->drift[c->n_drift++] = run;
	}
	return 0;
}

static void drop_point(struct sd_chosen *p)
{
	free(p->run);
	free(p->parts);
	sd_run_figures_free(&p->figures);
	*p = (struct sd_chosen){0};
}

static void drop_empty(struct sd_run_selection *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_point; i++) {
		if (c->point[i].n_run == 0 || c->point[i].n == 0) {
			drop_point(&c->point[i]);
			continue;
		}
		if (n != i) {
			c->point[n] = c->point[i];
			c->point[i] = (struct sd_chosen){0};
		}
		n++;
	}
	c->n_point = n;
}

/* Splits the runs into parts; drops those that measured less about CPU time than the point's best.
 * 0 or -ENOMEM. */
static int split_runs(struct sd_chosen *p)
{
	unsigned *const known = calloc(p->n_run + 1, sizeof *known);
	const unsigned all = SD_RUN_PARTS_CPU | SD_RUN_PARTS_SPLIT | SD_RUN_PARTS_COUNTERS |
			     SD_RUN_PARTS_SAMPLED | SD_RUN_PARTS_KERNEL;
	unsigned best = 0, every = ~0u, any = 0;
	size_t n = 0;

	if (!known)
		return -ENOMEM;
	for (size_t j = 0; j < p->n_run; j++) {
		known[j] = sd_run_parts_split(p->run[j], p->n, &p->parts[j]);
		best |= known[j] & SD_RUN_PARTS_CPU;
	}
	for (size_t j = 0; j < p->n_run; j++) {
		if ((known[j] & SD_RUN_PARTS_CPU) != best) {
			p->n_lacking++;
			continue;
		}
		every &= known[j];
		any |= known[j];
		p->run[n] = p->run[j];
		p->parts[n++] = p->parts[j];
	}
	free(known);
	p->n_run = n;
	p->known = (every & all) | (any & ~all);
	return 0;
}

/* Merges spinning back into user time. */
static void unsample(struct sd_run_parts *p)
{
	p->part[SD_PART_USER] = sd_run_parts_user(p);
	for (int k = 0; k < SD_PART_COUNT; k++)
		if (sd_part_info[k].of == SD_PART_OF_USER)
			p->part[k] = 0;
}

/* Merges kernel time for locks and threads back into system time. */
static void undivide(struct sd_run_parts *p)
{
	for (int k = 0; k < SD_PART_COUNT; k++)
		if (sd_part_info[k].of == SD_PART_OF_SYSTEM) {
			p->part[SD_PART_SYSTEM] += p->part[k];
			p->part[k] = 0;
		}
}

/* User and system time are split, and counters and samples used, only if every used run has them: a
 * difference between points must not be one of measurement. */
static void agree(struct sd_run_selection *c)
{
	unsigned known = ~0u;

	for (size_t i = 0; i < c->n_point; i++)
		if (c->point[i].known & SD_RUN_PARTS_CPU)
			known &= c->point[i].known;
	for (size_t i = 0; i < c->n_point; i++) {
		struct sd_chosen *p = &c->point[i];

		p->known &= known | ~(SD_RUN_PARTS_SPLIT | SD_RUN_PARTS_COUNTERS |
					    SD_RUN_PARTS_SAMPLED | SD_RUN_PARTS_KERNEL);
		for (size_t j = 0; j < p->n_run && !(known & SD_RUN_PARTS_SAMPLED); j++)
			unsample(&p->parts[j]);
		for (size_t j = 0; j < p->n_run && !(known & SD_RUN_PARTS_KERNEL); j++)
			undivide(&p->parts[j]);
		for (size_t j = 0; j < p->n_run && !(known & SD_RUN_PARTS_SPLIT); j++) {
			p->parts[j].part[SD_PART_USER] += p->parts[j].part[SD_PART_SYSTEM];
			p->parts[j].part[SD_PART_SYSTEM] = 0;
		}
	}
}

struct sorted {
	const struct sd_run *run;
	struct sd_run_parts parts;
};

static int by_time(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return (x->parts.time > y->parts.time) - (x->parts.time < y->parts.time);
}

static int sort_runs(struct sd_chosen *p)
{
	struct sorted *v = calloc(p->n_run ? p->n_run : 1, sizeof *v);

	if (!v)
		return -ENOMEM;
	for (size_t j = 0; j < p->n_run; j++)
		v[j] = (struct sorted){p->run[j], p->parts[j]};
	qsort(v, p->n_run, sizeof *v, by_time);
	for (size_t j = 0; j < p->n_run; j++) {
		p->run[j] = v[j].run;
		p->parts[j] = v[j].parts;
	}
	free(v);
	return 0;
}

/* Minimum runs for meaningful quartiles. */
#define FENCED_FROM 8

/* Quantile `at` of n sorted times, interpolated in the logarithm. */
static double log_quantile(const struct sd_run_parts *parts, size_t n, double at)
{
	const double place = at * (double)(n - 1);
	const size_t i = (size_t)place, next = i + 1 < n ? i + 1 : i;
	const double below = log(parts[i].time);

	return below + (place - (double)i) * (log(parts[next].time) - below);
}

/* Excludes runs outside Tukey's fences (see the header); the runs are sorted. Logarithms, because
 * times are skewed and noise is multiplicative. */
static void find_typical(struct sd_chosen *p)
{
	double first, third, fence;

	p->typical = 0;
	p->n_typical = p->n_run;
	if (p->n_run < FENCED_FROM || !(p->parts[0].time > 0))
		return;
	first = log_quantile(p->parts, p->n_run, .25);
	third = log_quantile(p->parts, p->n_run, .75);
	fence = 1.5 * (third - first);
	while (log(p->parts[p->typical].time) < first - fence) {
		p->typical++;
		p->n_typical--;
	}
	while (log(p->parts[p->typical + p->n_typical - 1].time) > third + fence)
		p->n_typical--;
}

void sd_run_selection_mean(
	const struct sd_chosen *p, const unsigned *times, struct sd_run_parts *out)
{
	size_t begin = p->typical, end = p->typical + p->n_typical;
	size_t some = times ? 0 : end - begin;

	for (size_t j = begin; times && j < end; j++)
		some += times[j];
	if (some > 0) {
		sd_run_figures_mean(&p->figures, begin, end, times, (double)some, out);
		return;
	}
	sd_run_figures_mean(&p->figures, 0, p->n_run, times, (double)p->n_run, out);
}

/* Mean fractions and the median time; the runs are sorted. 0 or -ENOMEM. */
static int average(struct sd_chosen *p)
{
	const size_t n = p->n_run;

	p->median_time = p->parts[(n - 1) / 2].time +
			 (p->parts[n / 2].time - p->parts[(n - 1) / 2].time) / 2;
	p->mean = (struct sd_run_parts){.time = p->median_time};
	if (sd_run_figures_list(p->parts, n, &p->figures))
		return -ENOMEM;
	sd_run_selection_mean(p, NULL, &p->mean);
	return 0;
}

/*
 * Replaces wall times by throughputs: a run's time becomes the time for the median work (rate x
 * wall) of the reference's runs, so that the reference keeps about its wall time.
 */
static int use_rates(const struct sd_record *record, struct sd_run_selection *c)
{
	const struct sd_chosen *ref = &c->point[0];
	double *work = calloc(ref->n_run ? ref->n_run : 1, sizeof *work), all;

	if (!work)
		return -ENOMEM;
	for (size_t j = 0; j < ref->n_run; j++)
		work[j] = ref->run[j]->metric[SD_METRIC_WALL].value *
			  ref->run[j]->metric[SD_METRIC_RATE].value;
	all = sd_statistics_median(work, ref->n_run);
	c->work = all;
	free(work);
	for (size_t i = 0; i < c->n_point; i++)
		for (size_t j = 0; j < c->point[i].n_run; j++)
			c->point[i].parts[j].time =
				all * sd_run_selection_time(record, c->point[i].run[j]);
	return 0;
}

static int prepare(const struct sd_record *record, struct sd_run_selection *c)
{
	int weak = record->program.scaling == SD_SCALING_WEAK && !record->program.rate;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->n_point; i++) {
		struct sd_chosen *p = &c->point[i];
		size_t left;

		left = sd_disturbed_runs_leave_out(p->run, p->n_run, p->n);
		p->n_disturbed = p->n_run - left;
		p->n_run = left;
		p->disturbed = p->run + left;
		rc = split_runs(p);
		p->work = weak ? (double)p->cores / c->point[0].cores : 1;
	}
	agree(c);
	if (rc == 0 && record->program.rate)
		rc = use_rates(record, c);
	rc = rc ? rc : sd_constant_phases_settle(record, c);
	for (size_t i = 0; rc == 0 && i < c->n_point; i++) {
		rc = sort_runs(&c->point[i]);
		find_typical(&c->point[i]);
		rc = rc ? rc : average(&c->point[i]);
	}
	return rc;
}

int sd_run_selection_keeps(const struct sd_run_selection *choice, const struct sd_run *run)
{
	const enum sd_label l = sd_machine_states_label(&choice->states, run);

	return choice->kept == SD_LABEL_NONE || l == SD_LABEL_NONE || l == choice->kept;
}

size_t sd_run_selection_times(const struct sd_record *record, const struct sd_run_selection *choice,
	const struct sd_run *const *run, size_t n, double *out)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (sd_run_selection_keeps(choice, run[i]))
			out[k++] = sd_run_selection_time(record, run[i]);
	return k;
}

int sd_run_selection_make(
	const struct sd_record *record, enum sd_label state, struct sd_run_selection *out)
{
	int rc;

	*out = (struct sd_run_selection){.rates = record->program.rate != NULL, .asked = state};
	rc = bucket(record, out);
	if (rc)
		return rc;
	drop_empty(out);
	if (out->n_point == 0)
		return 0;
	rc = sd_kept_state_find(record, out);
	if (rc)
		return rc;
	rc = sd_kept_state_keep(record, out, sd_run_selection_time);
	drop_empty(out); /* counts that the state asked for has no run of */
	for (size_t i = 0; i < out->n_point; i++)
		out->point[i].exact = sd_run_selection_modelled(record) && out->point[i].n_run == 1;
	return rc ? rc : prepare(record, out);
}

void sd_run_selection_free(struct sd_run_selection *c)
{
	for (size_t i = 0; i < c->n_point; i++)
		drop_point(&c->point[i]);
	free(c->point);
	free(c->drift);
	*c = (struct sd_run_selection){0};
}
