#include "plugin/modelled_events.h"

/* Adds the core model's counts of a thread. */
static void add_events(
	double sum[SD_MODELLED_COUNT], const struct sim_run *r, const struct sim_thread *t)
{
	const uint64_t clock = t->base + t->block->n_ins + t->stall;
	struct sim_counts c;

	sim_thread_result(t, (const struct sim_block *const *)r->block, &c);
	for (size_t i = 0; i < SD_MODELLED_COUNT; i++)
		sum[i] += (double)t->modelled[i];
	sum[SD_MODELLED_CYCLES] += (double)(clock - t->begun - t->away);
	sum[SD_MODELLED_CLOCK] =
		sum[SD_MODELLED_CLOCK] > (double)clock ? sum[SD_MODELLED_CLOCK] : (double)clock;
	sum[SD_MODELLED_INSTRUCTIONS] += (double)c.instructions;
	sum[SD_MODELLED_LOADS] += (double)c.loads;
	sum[SD_MODELLED_STORES] += (double)c.stores;
	sum[SD_MODELLED_STREAMED] += (double)c.streamed;
	sum[SD_MODELLED_DTLB_LOADS] += (double)(c.dtlb_misses - c.dtlb_stores);
	sum[SD_MODELLED_DTLB_STORES] += (double)c.dtlb_stores;
	sum[SD_MODELLED_WALKS_LOADS] += (double)(c.stlb_misses - c.stlb_stores);
	sum[SD_MODELLED_WALKS_STORES] += (double)c.stlb_stores;
	sum[SD_MODELLED_WALK_CYCLES] += (double)(c.stlb_misses * r->o->latency.walk);
}

void sim_modelled_events_put(FILE *f, const struct sim_run *r)
{
	double sum[SD_MODELLED_COUNT] = {0};

	for (size_t i = 0; i < r->n_thread; i++)
		add_events(sum, r, r->thread[i]);
	fputs("events", f);
	for (size_t i = 0; i < SD_MODELLED_COUNT; i++)
		fprintf(f, " %.0f", sum[i]);
	fputc('\n', f);
}
