#include "analysis/counted_work.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"

const struct sd_counted_work_info sd_counted_work_info[SD_COUNTED_WORK_COUNT] = {
#define X(id, name, meaning) {name, meaning},
	SD_COUNTED_WORKS(X)
#undef X
};

/* Each is a sum of roles, which the software PMU counts too, or one metric of timed runs, for the
 * kernel counts the emulator's own waits and faults along with the program's. */
static const struct {
	enum sd_role role[2];
	size_t n_role;
	enum sd_metric metric;
} sources[SD_COUNTED_WORK_COUNT] = {
	[SD_COUNTED_WORK_INSTRUCTIONS] = {{SD_ROLE_INSTRUCTIONS}, 1, SD_METRIC_INSTRUCTIONS},
	[SD_COUNTED_WORK_MOVES] = {{SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE}, 2, SD_METRIC_COUNT},
	[SD_COUNTED_WORK_FILLS] = {{SD_ROLE_LLC_LINES_IN}, 1, SD_METRIC_COUNT},
	[SD_COUNTED_WORK_LOCKED] = {{SD_ROLE_LOCKS}, 1, SD_METRIC_COUNT},
	[SD_COUNTED_WORK_SYSTEM_CALLS] = {{SD_ROLE_SYSTEM_CALLS}, 1, SD_METRIC_SYSTEM_CALLS},
	[SD_COUNTED_WORK_HAND_OVERS] = {{SD_ROLE_HAND_OVERS}, 1, SD_METRIC_COUNT},
	[SD_COUNTED_WORK_WAITS] = {{0}, 0, SD_METRIC_VOLUNTARY_SWITCHES},
	[SD_COUNTED_WORK_FAULTS] = {{0}, 0, SD_METRIC_MINOR_FAULTS},
};

/* A count in all runs of one core count that have it: of the software PMU where it counted, else of
 * the timed runs. */
struct counted {
	struct sd_interval count; /* median, 95 % interval; unbounded: one run; absent: no run */
	double spread;            /* (most - least) / median; INFINITY where that is 0 */
	size_t runs;
	unsigned cores; /* 0: the record has no such point */
	int per_unit;   /* for each unit that the program's printed throughput counts; else a run */
	int simulated;
};

/* A multiplexed count is an estimate, which compares no build with another. The kernel's ratio has
 * rounding in it. */
#define ALL_THE_TIME .9999

enum sd_counted_work sd_counted_work_named(const char *name)
{
	int i = 0;

	while (i < SD_COUNTED_WORK_COUNT && strcmp(sd_counted_work_info[i].name, name) != 0)
		i++;
	return (enum sd_counted_work)i;
}

/* NAN: this run has not counted it whole. */
static double count_of(const struct sd_run *run, enum sd_counted_work work)
{
	const enum sd_metric metric = sources[work].metric;
	double sum = 0;

	if (run->simulated && run->simulated->partial)
		return NAN;
	for (size_t i = 0; i < sources[work].n_role; i++) {
		const struct sd_role_count *const c = sd_run_role(run, sources[work].role[i]);

		if (!c || !sd_has(c->value) || c->value.status == SD_STATUS_NOISY ||
			c->running < ALL_THE_TIME)
			sum = NAN;
		else
			sum += c->value.value / c->running;
	}
	if (sources[work].n_role && !isnan(sum))
		return sum;
	return run->kind != SD_RUN_SIMULATED && metric != SD_METRIC_COUNT &&
			       run->metric[metric].status == SD_STATUS_OK
		       ? run->metric[metric].value
		       : NAN;
}

/* Units of work of a run: a throughput times the time it was kept up; 1 without one. */
static double units_of(const struct sd_run *run)
{
	const struct sd_value *const m = run->metric;

	if (!sd_has(m[SD_METRIC_RATE]) || !sd_has(m[SD_METRIC_WALL]))
		return 1;
	return m[SD_METRIC_RATE].value * m[SD_METRIC_WALL].value;
}

static int is_of(const struct sd_run *run, size_t point, int simulated)
{
	return run->point == point && sd_run_ended_well(run) &&
	       (simulated ? run->kind == SD_RUN_SIMULATED
			  : run->kind == SD_RUN_BLOCK || run->kind == SD_RUN_DRIFT);
}

static size_t collect(const struct sd_record *r, enum sd_counted_work work, size_t point,
	int simulated, double *v, int *per_unit)
{
	size_t n = 0;

	*per_unit = 0;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];
		const double count = is_of(run, point, simulated) ? count_of(run, work) : NAN;
		const double units = units_of(run);

		if (!isfinite(count) || !(units > 0))
			continue;
		*per_unit |= sd_has(run->metric[SD_METRIC_RATE]);
		v[n++] = count / units;
	}
	return n;
}

static const struct sd_plan_point *point_of(const struct sd_plan *plan, unsigned cores)
{
	const struct sd_plan_point *best = NULL;

	for (size_t i = 0; i < plan->n_point; i++)
		if (cores ? plan->point[i].cores == cores
			  : !best || plan->point[i].cores > best->cores)
			best = &plan->point[i];
	return best;
}

/* Takes `cores` 0 as the largest count. 0 or -ENOMEM. */
static int count_runs(
	const struct sd_record *r, enum sd_counted_work work, unsigned cores, struct counted *out)
{
	const struct sd_plan_point *const p = point_of(&r->plan, cores);
	double *const v = calloc(r->n_run + 1, sizeof *v);
	size_t n = 0;

	*out = (struct counted){.count = {.status = SD_STATUS_ABSENT}};
	if (!v)
		return -ENOMEM;
	for (int simulated = 1; p && !n && simulated >= 0; simulated--) {
		n = collect(r, work, (size_t)(p - r->plan.point), simulated, v, &out->per_unit);
		out->simulated = simulated;
	}
	out->cores = p ? p->cores : 0;
	out->runs = n;
	if (n) {
		out->count = sd_statistics_order(v, n);
		sd_statistics_sort(v, n);
		out->spread = v[n - 1] > v[0] ? (v[n - 1] - v[0]) / fabs(out->count.value) : 0;
	}
	free(v);
	return 0;
}

/* "5 simulated runs, spread 0.6 %"; most runs without any have no spread in percent. */
static void describe(const struct counted *c, char *out, size_t size)
{
	const char *const kind = c->simulated ? "simulated" : "timed";

	if (isfinite(c->spread))
		snprintf(out, size, "%zu %s runs, spread %.2g %%", c->runs, kind, 100 * c->spread);
	else
		snprintf(out, size, "%zu %s runs, most of which counted none", c->runs, kind);
}

static void undecided(struct sd_requirement_result *out, const char *why)
{
	out->outcome = SD_REQUIREMENT_UNDECIDED;
	snprintf(out->why, sizeof out->why, "%s", why);
}

#define ONCE "counted once, so its spread is not known: --sim repeats=5 counts again"

/* Both sides have counts. Against none at all any is beyond every factor, and none
 * is as many. */
static struct sd_interval ratio_of(struct sd_interval now, struct sd_interval before)
{
	const double most = before.low > 0 ? now.high / before.low : now.high > 0 ? INFINITY : 1;
	const double least = before.high > 0 ? now.low / before.high : now.low > 0 ? INFINITY : 1;
	const double value = before.value > 0 ? now.value / before.value
			     : now.value > 0  ? INFINITY
					      : 1;

	return (struct sd_interval){value, fmin(least, value), fmax(most, value), SD_STATUS_OK};
}

/* Names what would count it. */
static const char *not_counted(enum sd_counted_work work)
{
	if (work == SD_COUNTED_WORK_SYSTEM_CALLS)
		return "not counted here: --system-calls does where the kernel allows it, as to "
		       "root, or the software PMU (--events sim)";
	if (!sources[work].n_role)
		return "not counted here: only timed runs are, at counts that were timed "
		       "(--oversubscribe)";
	return "not counted here: the software PMU does (--events sim)";
}

static int is_decidable(const struct counted *c, enum sd_counted_work work, const char *whose,
	struct sd_requirement_result *out)
{
	char why[sizeof out->why];

	if (c->cores && c->runs > 1)
		return 1;
	snprintf(why, sizeof why, "%s%s", whose,
		!c->cores ? "the record has no such core count"
		: c->runs ? ONCE
			  : not_counted(work));
	undecided(out, why);
	return 0;
}

static void judge(struct sd_interval seen, const char *how, struct sd_requirement_result *out)
{
	const struct sd_requirement *const g = out->gate;
	const int met = g->least ? seen.low >= g->bound : seen.high <= g->bound;
	const int violated = g->least ? seen.high < g->bound : seen.low > g->bound;

	out->outcome = met        ? SD_REQUIREMENT_MET
		       : violated ? SD_REQUIREMENT_VIOLATED
				  : SD_REQUIREMENT_UNDECIDED;
	snprintf(out->why, sizeof out->why, "%s%s%s",
		out->outcome == SD_REQUIREMENT_UNDECIDED ? "it does not repeat closely enough: "
							 : "",
		how, isfinite(seen.value) ? "" : ", against none before");
	/* infinite counts are no numbers to print */
	if (isfinite(seen.value) && isfinite(seen.high))
		out->seen = seen;
}

int sd_counted_work_judge(const struct sd_requirement *g, const struct sd_record *now,
	const struct sd_record *baseline, struct sd_requirement_result *out)
{
	const enum sd_counted_work work = sd_counted_work_named(g->name);
	struct counted c, before = {.runs = 0};
	char how[96], how_before[96], both[224];
	int rc = count_runs(now, work, g->cores, &c);

	*out = (struct sd_requirement_result){
		.gate = g, .cores = c.cores, .seen = {.status = SD_STATUS_ABSENT}};
	if (!rc && g->factor && baseline)
		rc = count_runs(baseline, work, c.cores, &before);
	if (rc)
		return rc;
	if (c.runs == 1 && !g->factor)
		out->seen = c.count;
	if (!is_decidable(&c, work, "", out))
		return 0;
	describe(&c, how, sizeof how);
	if (!g->factor) {
		judge(c.count, how, out);
	} else if (!baseline) {
		undecided(out, "times what? A factor needs --baseline");
	} else if (is_decidable(&before, work, "the baseline: ", out)) {
		describe(&before, how_before, sizeof how_before);
		snprintf(both, sizeof both, "%s; baseline %.4g: %s", how, before.count.value,
			how_before);
		if (c.per_unit != before.per_unit)
			undecided(out, "only one of both prints how much work it did (--rate)");
		else if (c.simulated != before.simulated)
			undecided(out, "only one of both was simulated");
		else
			judge(ratio_of(c.count, before.count), both, out);
	}
	return 0;
}
