#include "experiments/experiment_results.h"
#include "experiments/race_words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated/simulated_costs.h"
#include "case/case.h"
#include "runs/kept_state.h"
#include "base/statistics.h"

double sd_experiment_results_time(const struct sd_record *record, const struct sd_run *run)
{
	double sum = 0;

	if (!run->tried || run->tried->n_copy == 0)
		return sd_run_selection_time(record, run);
	for (size_t i = 0; i < run->tried->n_copy; i++) {
		const struct sd_copy *c = &run->tried->copy[i];
		const struct sd_value wall = c->wall, rate = c->rate;

		if (!sd_run_parts_usable(record->program.rate ? rate : wall))
			return 0;
		sum += record->program.rate ? 1 / rate.value : wall.value;
	}
	sum /= (double)run->tried->n_copy;
	return isfinite(sum) ? sum : 0;
}

static const struct sd_run *plain_of(const struct sd_record *r, const struct sd_run *changed)
{
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *run = &r->run[i];

		if (run->tried && run->tried->experiment == changed->tried->experiment &&
			run->tried->arm == SD_ARM_PLAIN && run->point == changed->point &&
			run->tried->pair == changed->tried->pair)
			return run;
	}
	return NULL;
}

/* Pairs of which states count: a bit for each enum sd_label. */
#define OF(label) (1u << (label))
#define OF_ANY (OF(SD_LABEL_NONE) | OF(SD_LABEL_NEAR) | OF(SD_LABEL_FAR))

static size_t pairs_in(const struct sd_record *record, const struct sd_run_selection *choice,
	unsigned states, size_t index, size_t point,
	void (*each)(void *ctx, const struct sd_run *plain, const struct sd_run *changed),
	void *ctx)
{
	const int alone = record->plan.experiment[index].experiment == SD_EXPERIMENT_ADD_LOOP;
	size_t n = 0;

	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_run *run = &record->run[i], *plain = NULL;

		if (run->kind != SD_RUN_EXPERIMENT || !run->tried ||
			run->tried->experiment != index || run->tried->arm != SD_ARM_CHANGED ||
			run->point != point)
			continue;
		if (!alone) {
			plain = plain_of(record, run);
			if (!plain || !sd_run_ended_well(plain) || !sd_run_ended_well(run) ||
				((plain->flags | run->flags) & SD_RUN_STOPPED) ||
				!(states & OF(sd_kept_state_of_pair(choice, plain, run))) ||
				sd_experiment_results_time(record, plain) <= 0 ||
				sd_experiment_results_time(record, run) <= 0)
				continue;
		}
		n++;
		if (each)
			each(ctx, plain, run);
	}
	return n;
}

/* Does the experiment change how the program waits or allocates? Memory's bandwidth and distance,
 * in which the machine's states differ, are the same for both runs of a pair. */
static int is_of_software(enum sd_experiment e)
{
	return e == SD_EXPERIMENT_PASSIVE_WAIT || e == SD_EXPERIMENT_PADDING ||
	       e == SD_EXPERIMENT_ONE_ARENA || e == SD_EXPERIMENT_ALLOCATOR;
}

struct ratios {
	const struct sd_record *record;
	double *log;
	size_t n;
};

static void add_ratio(void *ctx, const struct sd_run *plain, const struct sd_run *changed)
{
	struct ratios *r = ctx;

	if (plain)
		r->log[r->n++] = log(sd_experiment_results_time(r->record, changed) /
				     sd_experiment_results_time(r->record, plain));
}

/* Mean of the logarithms of the ratios. scratch[n_run] */
static struct sd_interval mean_log(const struct sd_record *record,
	const struct sd_run_selection *choice, unsigned states, size_t index, size_t point,
	double *scratch)
{
	struct ratios r = {.record = record, .log = scratch};

	pairs_in(record, choice, states, index, point, add_ratio, &r);
	return sd_statistics_paired(r.log, r.n);
}

/* Do three pairs or more of each state say something else? */
static int disagree(const struct sd_record *record, const struct sd_run_selection *choice,
	size_t index, size_t point)
{
	double *const scratch = calloc(record->n_run + 1, sizeof *scratch);
	const size_t least = SD_EXPERIMENT_RESULTS_LEAST;
	struct sd_interval near, far;

	if (!scratch ||
		pairs_in(record, choice, OF(SD_LABEL_NEAR), index, point, NULL, NULL) < least ||
		pairs_in(record, choice, OF(SD_LABEL_FAR), index, point, NULL, NULL) < least) {
		free(scratch);
		return 0;
	}
	near = mean_log(record, choice, OF(SD_LABEL_NEAR), index, point, scratch);
	far = mean_log(record, choice, OF(SD_LABEL_FAR), index, point, scratch);
	free(scratch);
	return near.low > far.high || far.low > near.high;
}

/* Pairs within one state are pairs, of whichever. Where the two say something else those of the
 * state that is compared count; of what the states' hardware may change, those of one state if they
 * are enough, of the compared one first. */
static unsigned states_of(const struct sd_record *record, const struct sd_run_selection *choice,
	size_t index, size_t point)
{
	const int software = is_of_software(record->plan.experiment[index].experiment);
	const enum sd_label kept = choice->kept;
	const enum sd_label other = kept == SD_LABEL_NEAR ? SD_LABEL_FAR : SD_LABEL_NEAR;
	const enum sd_label one[] = {kept, other};

	if (kept == SD_LABEL_NONE)
		return OF_ANY | (choice->alike && software ? OF(SD_LABEL_MIXED) : 0);
	if (software && !disagree(record, choice, index, point))
		return OF_ANY;
	for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
		const unsigned states = OF(one[i]) | OF(SD_LABEL_NONE);

		if (pairs_in(record, choice, states, index, point, NULL, NULL) >=
			SD_EXPERIMENT_RESULTS_LEAST)
			return states;
	}
	return software ? OF_ANY : OF(kept) | OF(SD_LABEL_NONE);
}

/* Are its pairs of the hardware in the other state? 1 near, 2 far. */
static unsigned elsewhere(const struct sd_record *record, const struct sd_run_selection *choice,
	size_t index, size_t point)
{
	const unsigned states = states_of(record, choice, index, point);

	if (choice->kept == SD_LABEL_NONE || states & OF(choice->kept))
		return 0;
	return states & OF(SD_LABEL_NEAR) ? 1 : 2;
}

size_t sd_experiment_results_pairs(const struct sd_record *record,
	const struct sd_run_selection *choice, size_t index, size_t point,
	void (*each)(void *ctx, const struct sd_run *plain, const struct sd_run *changed),
	void *ctx)
{
	return pairs_in(
		record, choice, states_of(record, choice, index, point), index, point, each, ctx);
}

struct sd_value sd_experiment_results_cached(const struct sd_record *record, enum sd_arm arm)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_experiment_run *t = record->run[i].tried;

		if (t && t->arm == arm && sd_run_parts_usable(t->side[SD_SIDE_CACHED])) {
			sum += t->side[SD_SIDE_CACHED].value;
			n++;
		}
	}
	return n ? SD_OK(sum / (double)n) : SD_NOT(ABSENT);
}

static struct sd_interval ratio(const struct sd_record *record,
	const struct sd_run_selection *choice, size_t index, size_t point, double *scratch,
	size_t *n)
{
	struct ratios r = {.record = record};
	struct sd_interval v;

	r.log = scratch;
	*n = sd_experiment_results_pairs(record, choice, index, point, add_ratio, &r);
	v = sd_statistics_paired(r.log, r.n);
	if (v.status == SD_STATUS_ABSENT)
		return v;
	return (struct sd_interval){exp(v.value), exp(v.low), exp(v.high), v.status};
}

static double cost(const struct sd_record *record, size_t index)
{
	const int pmu = record->plan.experiment[index].experiment == SD_EXPERIMENT_SOFTWARE_PMU &&
			record->plan.simulation && record->plan.simulation->tried;
	double sum = 0;

	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_run *run = &record->run[i];

		if ((run->tried ? run->tried->experiment == index
				: pmu && run->kind == SD_RUN_SIMULATED) &&
			sd_run_parts_usable(run->metric[SD_METRIC_WALL]))
			sum += run->metric[SD_METRIC_WALL].value;
	}
	return sum;
}

/* A change of the time that is known to this share of what is lost need not be known better. */
#define LOSS_SHARE .2

/* Is it on one side of the gate, faster or slower, or known well enough against the share of the
 * cores that is lost? With few pairs, by a margin. */
static int is_decided(struct sd_interval v, size_t pairs, double lost)
{
	const double half = (v.high - v.low) / 2 * (pairs < SD_EXPERIMENT_PAIRS ? 1.5 : 1);
	const double away =
		fmin(fabs(v.value - 1 - SD_CASE_GATE), fabs(v.value - 1 + SD_CASE_GATE));

	return pairs >= SD_EXPERIMENT_RESULTS_LEAST && half < fmax(away, LOSS_SHARE * lost);
}

static double per_1000(const struct sd_simulated_costs_counts *c, double count)
{
	return c->instructions > 0 ? 1000 * count / c->instructions : 0;
}

/* The software PMU compares counts, not times. */
static int fill_simulated(
	const struct sd_record *record, const struct sd_plan_experiment *e, struct sd_tested *t)
{
	struct sd_simulated_costs_counts before, after;
	const struct sd_simulated *part;

	sd_simulated_costs_counts(record, 0, &before);
	sd_simulated_costs_counts(record, e->point, &after);
	t->decided = before.simulated && after.simulated;
	if (!t->decided || !(before.instructions > 0))
		return 0;
	part = after.simulated->partial ? after.simulated : before.simulated;
	if (part->partial)
		return sd_texts_add(&t->seen,
			"only a part was simulated: %s; for 1000 instructions: lines that move "
			"between cores in modified state: %.3g and %.3g; misses of "
			"the data TLB: %.3g and %.3g; lines from and to memory: %.3g and %.3g",
			part->why, per_1000(&before, before.hitm), per_1000(&after, after.hitm),
			per_1000(&before, before.walks), per_1000(&after, after.walks),
			per_1000(&before, before.lines), per_1000(&after, after.lines));
	if (after.simulated->sampled[0] &&
		sd_texts_add(&t->seen, "the model saw %s", after.simulated->sampled))
		return -ENOMEM;
	return sd_texts_add(&t->seen,
		"%.2f times the instructions of %u core%s; lines that move between cores in "
		"modified state: %.3g and %.3g; misses of the data TLB: %.3g and %.3g; lines from "
		"and to memory: %.3g and %.3g",
		after.instructions / before.instructions, record->plan.point[0].cores,
		record->plan.point[0].cores == 1 ? "" : "s", before.hitm, after.hitm, before.walks,
		after.walks, before.lines, after.lines);
}

static int fill(const struct sd_record *record, const struct sd_run_selection *choice, size_t index,
	double *scratch, struct sd_analysis *out)
{
	const struct sd_plan_experiment *e = &record->plan.experiment[index];
	const int both = sd_experiment_info[e->experiment].at == SD_EXPERIMENT_AT_BOTH;
	const double lost = out->n_point ? 1 - out->point[out->n_point - 1].efficiency.value : 0;
	struct sd_tested *const t = &out->tested[index];
	size_t n;

	t->experiment = e->experiment;
	t->cores = record->plan.point[e->point].cores;
	t->time = ratio(record, choice, index, e->point, scratch, &t->pairs);
	t->elsewhere = elsewhere(record, choice, index, e->point);
	t->cost_s = cost(record, index);
	t->decided = e->experiment == SD_EXPERIMENT_ADD_LOOP
			     ? t->pairs >= SD_EXPERIMENT_RESULTS_LEAST
			     : is_decided(t->time, t->pairs, lost);
	if (both) {
		t->reference = ratio(record, choice, index, 0, scratch, &n);
		t->decided &= is_decided(t->reference, n, lost);
		t->pairs = n < t->pairs ? n : t->pairs;
	}
	if (e->skipped && !(t->skipped = strdup(e->skipped)))
		return -ENOMEM;
	if (e->experiment == SD_EXPERIMENT_RACE_CHECK)
		return sd_race_words_seen(record, index, t);
	return t->cost_s > 0 && e->experiment == SD_EXPERIMENT_SOFTWARE_PMU
		       ? fill_simulated(record, e, t)
		       : 0;
}

int sd_experiment_results_fill(const struct sd_record *record,
	const struct sd_run_selection *choice, struct sd_analysis *out)
{
	double *scratch;
	int rc = 0;

	if (record->plan.n_experiment == 0)
		return 0;
	scratch = calloc(record->n_run ? record->n_run : 1, sizeof *scratch);
	out->tested = calloc(record->plan.n_experiment, sizeof *out->tested);
	if (!scratch || !out->tested)
		rc = -ENOMEM;
	for (size_t i = 0; i < record->plan.n_experiment && !rc; i++) {
		rc = fill(record, choice, i, scratch, out);
		out->n_tested = i + 1;
	}
	free(scratch);
	return rc;
}
