#include "plan/planner.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "plan/placement.h"

/* With at most this many CPUs, `--cores all` means every count. */
#define EVERY_COUNT 16u
/* Domains of a level; of one with more, only the count that fills the first one is planned. */
#define FEW_DOMAINS 8u
/* Most runs per point without a budget; half as many if it is clear whether the program scales: at
 * a spread of 5 %, the median of 30 runs is known to about 2 % (1.25 x 1.96 x 5 % / sqrt(30)).
 */
#define MAX_REPEATS 60u
/* Most runs per point with a budget, where time is the real limit. */
#define MAX_REPEATS_BUDGET 1000u
/* A simulated core costs host memory, and more cores than threads show nothing new. */
#define MOST_SIMULATED SD_SIM_THREADS

/* The chosen core counts: want[n] for 1 <= n <= most. */
struct wanted {
	unsigned char *want;
	unsigned most;
};

static void want(struct wanted *w, unsigned n)
{
	if (n >= 1 && n <= w->most)
		w->want[n] = 1;
}

static void want_powers(struct wanted *w)
{
	for (unsigned n = 1; n && n <= w->most; n *= 2)
		want(w, n);
}

/* Levels of the machine whose domains can be full. */
enum level { LEVEL_MACHINE, LEVEL_KIND, LEVEL_LLC, LEVEL_NUMA, LEVEL_PACKAGE, LEVEL_COUNT };

static unsigned domain_of(const struct sd_pu *pu, enum level level)
{
	const unsigned id[LEVEL_COUNT] = {
		[LEVEL_MACHINE] = 0,
		[LEVEL_KIND] = pu->kind,
		[LEVEL_LLC] = pu->llc,
		[LEVEL_NUMA] = pu->numa,
		[LEVEL_PACKAGE] = pu->package,
	};

	return id[level];
}

static unsigned domains_of(const struct sd_topology *t, enum level level)
{
	const unsigned n[LEVEL_COUNT] = {
		[LEVEL_MACHINE] = 1,
		[LEVEL_KIND] = t->n_kind,
		[LEVEL_LLC] = t->n_llc,
		[LEVEL_NUMA] = t->n_numa,
		[LEVEL_PACKAGE] = t->n_package,
	};

	return n[level];
}

static const struct sd_pu *find_pu(const struct sd_topology *t, unsigned os)
{
	size_t low = 0, high = t->n_pu;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (t->pu[middle].os <= os)
			low = middle;
		else
			high = middle;
	}
	return &t->pu[low];
}

/* Adds the counts at which all cores of a domain are in use, one PU each. */
static int want_full(struct wanted *w, const struct sd_topology *t, const struct sd_cpulist *order,
	enum level level)
{
	const unsigned n = domains_of(t, level);
	unsigned *left = calloc(n ? n : 1, sizeof *left);
	int first = 1;

	if (!left)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_pu; i++)
		if (t->pu[i].smt_rank == 0)
			left[domain_of(&t->pu[i], level)]++;
	for (size_t i = 0; i < order->n; i++) {
		const struct sd_pu *pu = find_pu(t, order->cpu[i]);

		if (pu->smt_rank == 0 && --left[domain_of(pu, level)] == 0 &&
			(first || n <= FEW_DOMAINS)) {
			want(w, (unsigned)i + 1);
			first = 0;
		}
	}
	free(left);
	return 0;
}

static int want_all(struct wanted *w, const struct sd_topology *t, const struct sd_cpulist *order)
{
	int rc = 0;

	if (w->most <= EVERY_COUNT) {
		for (unsigned n = 1; n <= w->most; n++)
			want(w, n);
		return 0;
	}
	want_powers(w);
	for (enum level level = 0; level < LEVEL_COUNT && !rc; level++)
		rc = want_full(w, t, order, level);
	return rc;
}

/* Derives the counts from the topology, for all but a list. */
static int counts_from_topology(enum sd_cores cores, const struct sd_topology *t,
	const struct sd_cpulist *order, unsigned **count, size_t *n_count)
{
	struct wanted w = {.want = calloc(t->granted + 1, 1), .most = t->granted};
	int rc = -ENOMEM;

	*n_count = 0;
	*count = calloc(t->granted + 1, sizeof **count);
	if (!w.want || !*count)
		goto out;
	rc = 0;
	if (cores == SD_CORES_ALL)
		rc = want_all(&w, t, order);
	else if (cores == SD_CORES_POWERS)
		want_powers(&w);
	want(&w, 1);
	want(&w, w.most);
	for (unsigned n = 1; n <= w.most; n++)
		if (w.want[n])
			(*count)[(*n_count)++] = n;
out:
	free(w.want);
	return rc;
}

/* A point gets the first CPUs of the order, or all of them if it wants more. */
static int add_point(struct sd_plan *plan, const struct sd_cpulist *order, unsigned cores,
	const struct sd_rank_shape *shape)
{
	const struct sd_cpulist first = {order->cpu, cores < order->n ? cores : order->n};
	struct sd_plan_point *p = &plan->point[plan->n_point];
	const int rc = cores ? sd_cpulist_copy(&first, &p->cpus) : -EINVAL;

	if (rc)
		return rc;
	p->cores = cores;
	if (shape)
		p->shape = *shape;
	plan->n_point++;
	return 0;
}

/* The cores of a point on each of its nodes, which are taken to be like this one. */
static unsigned on_a_node(unsigned cores, const struct sd_rank_shape *shape)
{
	return shape && shape->nodes > 1 ? (cores - 1) / shape->nodes + 1 : cores;
}

/* Counts above `most` are skipped, or left to the software PMU. */
static int add_points(struct sd_plan *plan, const struct sd_cpulist *order, unsigned most,
	const unsigned *count, const struct sd_rank_shape *shape, size_t n)
{
	const unsigned simulated =
		plan->simulation && !plan->simulation->whole ? MOST_SIMULATED : 0;
	int rc = 0;

	plan->point = calloc(n ? n : 1, sizeof *plan->point);
	plan->skipped = calloc(n ? n : 1, sizeof *plan->skipped);
	if (!plan->point || !plan->skipped)
		return -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++)
		if (on_a_node(count[i], shape ? &shape[i] : NULL) > most &&
			(count[i] > simulated || plan->n_point == 0)) {
			plan->skipped[plan->n_skipped++] = count[i];
		} else {
			plan->point[plan->n_point].simulated = !shape && count[i] > most;
			rc = add_point(plan, order, count[i], shape ? &shape[i] : NULL);
		}
	return rc;
}

static unsigned max_repeats(const struct sd_options *options)
{
	if (options->repeats)
		return options->repeats;
	return options->budget_s > 0 ? MAX_REPEATS_BUDGET : MAX_REPEATS;
}

static int add_simulation(struct sd_plan *plan, const struct sd_options *o)
{
	struct sd_plan_simulation *s = plan->simulation = calloc(1, sizeof *s);

	if (!s)
		return -ENOMEM;
	snprintf(s->from, sizeof s->from, "%s", o->sim_from ? o->sim_from : "");
	snprintf(s->length, sizeof s->length, "%s", o->sim_for ? o->sim_for : "");
	s->runs = o->sim_repeats;
	s->whole = o->events == SD_EVENTS_MODEL;
	return 0;
}

int sd_planner_make(const struct sd_options *options, const struct sd_topology *t,
	struct sd_plan *out, const struct sd_sink *sink)
{
	const unsigned most = options->oversubscribe ? UINT_MAX : t->granted;
	struct sd_cpulist order;
	unsigned *own = NULL;
	size_t n = options->n_count;
	int rc = sd_placement_of(t, options->placement, (unsigned)t->n_pu, &order);

	*out = (struct sd_plan){.min_repeats = options->repeats,
		.max_repeats = max_repeats(options),
		.budget_s = options->budget_s,
		.quick = options->quick,
		.seed = options->seed};
	if (!rc && (options->events == SD_EVENTS_SIM || options->events == SD_EVENTS_MODEL))
		rc = add_simulation(out, options);
	if (!rc && options->cores != SD_CORES_LIST)
		rc = counts_from_topology(options->cores, t, &order, &own, &n);
	if (!rc)
		rc = add_points(out, &order, most, own ? own : options->count,
			own ? NULL : options->shape, n);
	if (!rc && out->n_point == 0) {
		sd_say(sink, SD_LEVEL_ERROR,
			"every count of --cores is above the %u CPU%s granted here (affinity, cgroup quota, online): "
			"ask for at most %u, or add --oversubscribe",
			t->granted, t->granted == 1 ? "" : "s", t->granted);
		rc = -EINVAL;
	}
	free(own);
	sd_cpulist_free(&order);
	if (rc)
		sd_plan_free(out);
	return rc;
}

/* a random stream of its own: the analysis and the precision of a point use the same seed */
#define STREAM UINT64_C(0x6f7264657200)

void sd_planner_order(const struct sd_plan *plan, unsigned block, size_t *order)
{
	struct sd_random random;

	sd_random_seed(&random, plan->seed, STREAM + block);
	for (size_t i = 0; i < plan->n_point; i++)
		order[i] = i;
	for (size_t i = plan->n_point; i > 1; i--) {
		const size_t j = sd_random_below(&random, i);
		const size_t swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}
