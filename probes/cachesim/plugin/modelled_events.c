#include "plugin/modelled_events.h"

#include <inttypes.h>

static uint64_t clock_of(const struct sim_thread *t)
{
	return t->base + t->block->n_ins + t->stall;
}

/* Adds the core model's counts of a thread. */
static void add_events(
	double sum[SD_MODELLED_COUNT], const struct sim_run *r, const struct sim_thread *t)
{
	const uint64_t clock = clock_of(t);
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

static void put_wait(FILE *f, const struct sim_waits_one *w, double to)
{
	fprintf(f, "wait %u %" PRIu64 " %.0f %#" PRIx64 " %" PRIu32 " %" PRIu32 "\n", w->thread,
		w->from, to, w->at.address, w->at.operation, w->at.value);
}

/* When each thread lived and waited; those that wait still do so to the end of the run. */
static void put_lives(FILE *f, const struct sim_run *r, double end)
{
	const size_t n = r->n_thread < SD_SIM_THREADS ? r->n_thread : SD_SIM_THREADS;

	for (size_t i = 0; i < n; i++) {
		const struct sim_thread *const t = r->thread[i];
		const int waits = t->state == SIM_AWAY && !t->ends;

		fprintf(f, "life %" PRIu64 " %.0f\n", t->begun, waits ? end : (double)clock_of(t));
	}
	for (size_t i = 0; i < r->waits.n; i++)
		if (r->waits.one[i].thread < n)
			put_wait(f, &r->waits.one[i], (double)r->waits.one[i].to);
	for (size_t i = 0; i < n; i++) {
		const struct sim_thread *const t = r->thread[i];
		const struct sim_waits_one w = {t->index, t->futex, clock_of(t), 0};

		if (t->state == SIM_AWAY && !t->ends)
			put_wait(f, &w, end);
	}
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
	if (!r->waits.lost)
		put_lives(f, r, sum[SD_MODELLED_CLOCK]);
}
