#include "experiments/apply.h"

#include "experiments/apply_verdict.h"
#include "case/cause_weights.h"

/* Reports what was made in the placement that is not compared; only copies there count. */
static int is_of_another_machine(struct sd_apply_verdict *b, struct sd_tested *t)
{
	if (!t->elsewhere || t->experiment == SD_EXPERIMENT_REPLICAS)
		return 0;
	if (sd_apply_verdict_has(t->time))
		sd_apply_verdict_seen(b, t,
			"%.2f times as long (95 %%: %.2f to %.2f) in the %s placement, which is "
			"not the one that is compared",
			t->time.value, t->time.low, t->time.high,
			t->elsewhere == 1 ? "near" : "far");
	return 1;
}

static void gather(struct sd_apply_verdict *b)
{
	struct sd_analysis *a = b->c->a;

	for (size_t i = 0; i < a->n_tested; i++) {
		struct sd_tested *t = &a->tested[i];

		if (t->pairs >= SD_EXPERIMENT_RESULTS_LEAST && !is_of_another_machine(b, t))
			b->t[t->experiment] = t;
	}
}

/* Tells how each change moved the time, also where nothing can be concluded from it. */
static void tell_times(struct sd_apply_verdict *b)
{
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++) {
		struct sd_tested *const t = b->t[e];

		if (t && sd_apply_verdict_has(t->time) && !sd_apply_thief_moved(b, e))
			sd_apply_verdict_seen(b, t, "%.2f times as long (95 %%: %.2f to %.2f)",
				t->time.value, t->time.low, t->time.high);
	}
	sd_apply_files_cached(b);
}

void sd_apply(struct sd_case *c)
{
	struct sd_apply_verdict b = {.c = c};

	if (c->a->n_point < 2 || c->a->n_tested == 0)
		return;
	gather(&b);
	b.efficiency = c->a->point[c->a->n_point - 1].efficiency;
	b.growth = sd_cause_weights_added(c, SD_CASE_GROWTH & c->loss->components);
	/* what an experiment gives back is a share of what is lost, which one run does not tell */
	if (!sd_status_bounded(b.efficiency)) {
		tell_times(&b);
		return;
	}
	b.efficiency.status = SD_STATUS_OK;
	sd_apply_copies(&b);
	sd_apply_clock(&b);
	sd_apply_thieves(&b);
	sd_apply_prefetchers(&b);
	sd_apply_waits(&b);
	sd_apply_padding(&b);
	sd_apply_allocator(&b);
	sd_apply_pages(&b);
	sd_apply_places(&b);
	sd_apply_files(&b);
	sd_apply_bus(&b);
	sd_apply_atomics(&b);
	sd_apply_repeated(&b);
	sd_apply_races(&b);
	c->explained += b.told.value * c->loss->n;
}
