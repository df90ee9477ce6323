#include "analysis/waste.h"

#include <math.h>
#include <stdio.h>

#include "case/case.h"

/* Sums over all threads. */
struct sums {
	double instructions, accesses, lines, l2, llc, memory, hitm; /* l2, …: which served */
	double used, walks, conflicts, conversions;
};

static struct sums sums_of(const struct sd_simulated *s)
{
	struct sums n = {0};

	for (size_t i = 0; i < s->n_thread; i++) {
		const struct sd_sim_thread *const t = &s->thread[i];
		const double hitm = t->hitm_load + t->hitm_store;

		n.instructions += t->instructions;
		n.accesses += t->loads + t->stores;
		n.lines += t->l1_misses;
		n.l2 += fmax(0, t->l1_misses - t->l2_misses);
		n.llc += fmax(0, t->l2_misses - t->llc_misses - hitm);
		n.memory += t->llc_misses;
		n.hitm += hitm;
		n.used += t->bytes_used;
		n.walks += t->stlb_misses;
		n.conflicts += t->conflicts;
		n.conversions += t->conversions;
	}
	return n;
}

static void set(struct sd_waste *w, double cycles, double all)
{
	w->share = all > 0 ? fmin(1, fmax(0, cycles) / all) : 0;
	w->found = w->share >= SD_CASE_GATE;
}

void sd_wasted_work_of(const struct sd_record *r, const struct sd_simulated *s,
	struct sd_waste out[SD_WASTE_COUNT])
{
	const struct sd_plan_simulation *const plan = r->plan.simulation;
	const struct sd_sim_costs *const k = sd_sim_costs_charged(plan ? &plan->costs : NULL);
	const struct sums n = sums_of(s);
	/* lines written by another core are fetched for what it wrote, however little: they are not
	 * waste */
	const double brought = n.l2 * k->l2 + n.llc * k->llc + n.memory * k->memory;
	const double all = n.instructions + brought + n.hitm * k->transfer + n.walks * k->walk;
	const double use = n.lines > 0 ? fmin(1, n.used / n.lines / s->machine.line) : 1;

	for (int i = 0; i < SD_WASTE_COUNT; i++)
		out[i] = (struct sd_waste){0};
	set(&out[SD_WASTE_BYTES], (1 - use) * brought, all);
	set(&out[SD_WASTE_WALKS], n.walks * k->walk, all);
	set(&out[SD_WASTE_CONFLICTS], n.conflicts * k->l2, all);
	set(&out[SD_WASTE_CONVERSIONS], n.conversions, all);
	snprintf(out[SD_WASTE_BYTES].text, sizeof out->text,
		"of each line brought into an L1 %.1f of %u bytes are used (%.0f %%)",
		use * s->machine.line, s->machine.line, 100 * use);
	snprintf(out[SD_WASTE_WALKS].text, sizeof out->text,
		"%.4g walks, %.2g for each access to memory", n.walks,
		n.accesses > 0 ? n.walks / n.accesses : 0);
	snprintf(out[SD_WASTE_CONFLICTS].text, sizeof out->text,
		"%.4g misses of an L1 that a fully associative one would not have (%.0f %% of all)",
		n.conflicts, n.lines > 0 ? 100 * n.conflicts / n.lines : 0);
	snprintf(out[SD_WASTE_CONVERSIONS].text, sizeof out->text,
		"%.0f %% of the instructions turn float into double or back",
		n.instructions > 0 ? 100 * n.conversions / n.instructions : 0);
}
