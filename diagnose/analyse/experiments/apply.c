#include "experiments/apply.h"

#include "experiments/apply_verdict.h"
#include "case/cause_weights.h"

/* What hides in the growth of user time, when so little of it is left that none can matter. */
static void settle_rest(struct sd_settling *b)
{
	const struct sd_interval left = sd_settling_less(b->growth, b->told);

	if (b->told.value < SD_RULES_GATE || left.high >= SD_RULES_GATE || b->c->capped ||
		b->c->disturbed)
		return;
	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (!sd_settling_has(sd_settling_finding(b, (enum sd_cause)k)->share) &&
			!(sd_rule_table[k].carriers & ~(SD_RULES_GROWTH | SD_BIT(SYSTEM))))
			sd_settling_rule_out(b, (enum sd_cause)k,
				"what is left of the growth of user time, %.1f %% of the cores, is "
				"too little",
				100 * left.value);
}

static void gather(struct sd_settling *b)
{
	struct sd_analysis *a = b->c->a;

	for (size_t i = 0; i < a->n_tested; i++) {
		struct sd_tested *t = &a->tested[i];

		if (t->pairs >= SD_TESTED_LEAST)
			b->t[t->experiment] = t;
	}
}

void sd_settle(struct sd_case *c)
{
	struct sd_settling b = {.c = c};

	if (c->a->n_point < 2 || c->a->n_tested == 0)
		return;
	gather(&b);
	b.efficiency = c->a->point[c->a->n_point - 1].efficiency;
	b.growth = sd_weights_added(c, SD_RULES_GROWTH & c->loss->components);
	if (b.efficiency.status == SD_STATUS_ABSENT)
		return;
	b.efficiency.status = SD_STATUS_OK;
	sd_settle_copies(&b);
	sd_settle_clock(&b);
	sd_settle_thieves(&b);
	sd_settle_prefetchers(&b);
	sd_settle_waits(&b);
	sd_settle_padding(&b);
	sd_settle_allocator(&b);
	sd_settle_pages(&b);
	sd_settle_places(&b);
	sd_settle_files(&b);
	sd_settle_atomics(&b);
	sd_settle_repeated(&b);
	settle_rest(&b);
	c->explained += b.told.value * c->loss->n;
}
