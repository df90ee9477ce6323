#include "harness/samples.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "harness/core_sets.h"
#include "bench/line_probe.h"
#include "base/number.h"
#include "harness/state_split.h"
#include "base/clock.h"
#include "base/statistics.h"

/* A sample is disturbed when one of its members had to wait this share of the time for its CPU:
 * a third of the 3 % that quartiles on a quiet machine may differ by. */
#define DELAY_MAX 0.01
/* From this share of their width on that the CPUs lack, against the widest sample of the same kind,
 * somebody else uses their cores. Looks at a core that nobody shares differ by less than 1 %. */
#define SHARED_FROM .1
/* Repeats that spread more (between the quartiles, of the median) get up to so many times more of
 * them, while there is time. */
#define SPREAD_MAX 0.03
#define MORE_MOST 2
/* How long a line probe stays good as the "before" of the next sample, s. */
#define PROBE_AGE_MAX 0.01

/* Ticks stolen by the hypervisor from all CPUs together, since boot; 0 when unknown. */
static uint64_t steal_ticks(void)
{
	char line[256], *p = line;
	uint64_t v = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (!f)
		return 0;
	if (!fgets(line, sizeof line, f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	/* cpu  user nice system idle iowait irq softirq steal … */
	for (int field = 0; p && field <= 8; field++) {
		char *word = strsep(&p, " ");

		while (word && *word == '\0' && p)
			word = strsep(&p, " ");
		if (field == 8 && (!word || sd_number_u64(word, 0, UINT64_MAX, &v) != 0))
			v = 0;
	}
	return v;
}

/* Takes samples, each with the state of the machine just before. */
struct taker {
	const struct sd_sample_plan *plan;
	struct sd_cpulist all; /* one CPU of every core: whose distance is the machine's state */
	int labelled;          /* states can be told apart here */
	struct sd_value line;  /* the latest probe */
	double line_at;        /* when */
};

static void probe(struct taker *t)
{
	t->line = sd_line_probe_state(&t->all);
	t->line_at = sd_clock_s();
	if (t->line.status == SD_STATUS_UNSUPPORTED || t->line.status == SD_STATUS_DENIED)
		t->labelled = 0;
}

/* Labels the sample; 0 when the state did not hold still. */
static int label(struct taker *t, struct sd_value before, struct sd_sample *s)
{
	int id;

	s->state = 0;
	if (!t->labelled)
		return 1;
	probe(t);
	if (!t->labelled)
		return 1;
	if (!sd_has(before) || !sd_has(t->line) ||
		!sd_kernel_states_same(before.value, t->line.value))
		return 0;
	id = sd_state_split_find(t->plan->env->states, (before.value + t->line.value) / 2);
	s->state = (unsigned)id;
	return id >= 0;
}

static int keep(struct sd_samples *out, const struct sd_sample *s)
{
	return SD_APPEND(out->sample, out->n, s);
}

/* One attempt: 0 also when it was dropped. */
static int attempt(struct taker *t, struct sd_samples *out,
	int (*measure)(void *ctx, struct sd_sample *s), void *ctx)
{
	struct sd_sample s = {.delay = 0};
	struct sd_value before;
	uint64_t steal;
	int rc;

	for (int i = 0; i < SD_SAMPLE_VALUES; i++)
		s.value[i] = NAN;
	if (t->labelled && (!sd_has(t->line) || sd_clock_s() - t->line_at > PROBE_AGE_MAX))
		probe(t);
	before = t->line;
	steal = steal_ticks();
	rc = measure(ctx, &s);
	if (rc == -EAGAIN) {
		out->failed++;
		return 0;
	}
	if (rc)
		return rc;
	s.disturbed = s.delay > DELAY_MAX || steal_ticks() != steal;
	if (!label(t, before, &s)) {
		out->flips++;
		return 0;
	}
	return keep(out, &s);
}

static double widest(const struct sd_samples *s)
{
	double most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = fmax(most, s->sample[i].width);
	return most;
}

static int is_good(const struct sd_sample *s, double widest)
{
	return !s->disturbed && !(s->width > 0 && s->width < (1 - SHARED_FROM) * widest);
}

static size_t count_good(const struct sd_samples *s)
{
	const double most = widest(s);
	size_t good = 0;

	for (size_t i = 0; i < s->n; i++)
		good += (size_t)is_good(&s->sample[i], most);
	return good;
}

/*
 * The good samples in the state of the latest differ by more than those of a quiet machine do:
 * their median is worth more of them.
 */
static int is_spread(const struct sd_samples *s)
{
	double *value = malloc((s->n ? s->n : 1) * sizeof *value);
	struct sd_samples_quartiles q = {NAN, NAN, NAN, NAN, NAN};
	const double most = widest(s);
	size_t n = 0;

	for (size_t i = 0; value && i < s->n; i++)
		if (is_good(&s->sample[i], most) &&
			s->sample[i].state == s->sample[s->n - 1].state &&
			!isnan(s->sample[i].value[0]))
			value[n++] = s->sample[i].value[0];
	if (n > 0)
		q = sd_samples_quartiles(value, n);
	free(value);
	return q.q3 - q.q1 > SPREAD_MAX * fabs(q.median);
}

static int is_enough(const struct sd_samples *s, const struct sd_sample_plan *plan)
{
	const size_t good = count_good(s);

	if (good < plan->wanted || plan->budget_s <= 0)
		return good >= plan->wanted;
	return good >= MORE_MOST * plan->wanted || !is_spread(s);
}

/* Disturbed samples go when there are enough of the others. */
static void drop_disturbed(struct sd_samples *s, unsigned wanted)
{
	const double most = widest(s);
	const size_t good = count_good(s);
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		s->sample[i].disturbed = !is_good(&s->sample[i], most);
	if (good < (wanted + 1) / 2)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!s->sample[i].disturbed)
			s->sample[kept++] = s->sample[i];
	s->disturbed += s->n - kept;
	s->n = kept;
}

int sd_samples_late(const struct sd_kernel_env *env)
{
	return env->deadline_s > 0 && sd_clock_s() > env->deadline_s;
}

int sd_samples_take(struct sd_samples *out, const struct sd_sample_plan *plan,
	int (*measure)(void *ctx, struct sd_sample *s), void *ctx)
{
	struct taker t = {.plan = plan, .labelled = plan->env->states != NULL};
	const double end = sd_clock_s() + plan->budget_s;
	const struct sd_topology *topology = plan->env->topology;
	const size_t least = plan->least ? plan->least : 1;
	int rc = 0;

	*out = (struct sd_samples){0};
	if (t.labelled)
		rc = sd_core_sets_place(topology, SD_CORE_SETS_COMPACT, topology->n_core, &t.all);
	for (unsigned tries = 0; rc == 0 && tries < 3 * plan->wanted + 3; tries++) {
		if (is_enough(out, plan))
			break;
		if (plan->budget_s > 0 && out->n >= least && sd_clock_s() > end)
			break;
		out->late = sd_samples_late(plan->env);
		if (out->late)
			break;
		if (plan->env->stop && *plan->env->stop)
			rc = -EINTR;
		else
			rc = attempt(&t, out, measure, ctx);
	}
	drop_disturbed(out, plan->wanted);
	sd_cpulist_free(&t.all);
	return rc;
}

static double quantile(const double *sorted, size_t n, double q)
{
	const double at = q * (double)(n - 1);
	const size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

struct sd_samples_quartiles sd_samples_quartiles(const double *value, size_t n)
{
	struct sd_samples_quartiles q = {NAN, NAN, NAN, NAN, NAN};
	double *v = n ? malloc(n * sizeof *v) : NULL;

	if (!v)
		return q;
	memcpy(v, value, n * sizeof *v);
	sd_statistics_sort(v, n);
	q = (struct sd_samples_quartiles){
		v[0], quantile(v, n, .25), quantile(v, n, .5), quantile(v, n, .75), v[n - 1]};
	free(v);
	return q;
}

/* One state's row; *any says whether there was a sample of it. */
static int state_row(const struct sd_samples *s, unsigned which, unsigned state,
	const struct sd_bench_row *like, struct sd_bench_rows *rows, int *any)
{
	struct sd_bench_row row = *like;
	double *value = malloc((s->n ? s->n : 1) * sizeof *value);
	size_t n = 0, disturbed = 0;
	struct sd_samples_quartiles q;
	int rc = 0;

	if (!value)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		if (s->sample[i].state == state && !isnan(s->sample[i].value[which])) {
			value[n++] = s->sample[i].value[which];
			disturbed += (size_t)(s->sample[i].disturbed != 0);
		}
	if (n > 0) {
		*any = 1;
		q = sd_samples_quartiles(value, n);
		row.state = state;
		row.n = n;
		row.dropped = s->flips + s->disturbed + s->failed;
		row.median = q.median;
		row.q1 = q.q1;
		row.q3 = q.q3;
		row.low = q.min;
		row.high = q.max;
		row.status = disturbed ? SD_STATUS_NOISY : SD_STATUS_OK;
		if (disturbed)
			snprintf(row.why, sizeof row.why,
				"%u of %u were preempted, had CPU time stolen or shared cores",
				(unsigned)disturbed, (unsigned)n);
		rc = sd_bench_rows_add(rows, &row);
	}
	free(value);
	return rc;
}

int sd_samples_rows(const struct sd_samples *s, unsigned which, const struct sd_bench_row *like,
	struct sd_bench_rows *rows)
{
	int any = 0, rc = 0;

	for (unsigned state = 0; rc == 0 && state < SD_STATES_MAX; state++)
		rc = state_row(s, which, state, like, rows, &any);
	if (rc || any)
		return rc;
	if (s->late)
		return sd_rows_missing(rows, like, SD_STATUS_ABSENT, "%s", SD_LATE_WHY);
	return sd_rows_missing(rows, like, SD_STATUS_ABSENT,
		"no sample held: %zu across a change of state or unlabelled, %zu with a thread off its CPU",
		s->flips, s->failed);
}

void sd_samples_free(struct sd_samples *s)
{
	free(s->sample);
	*s = (struct sd_samples){0};
}
