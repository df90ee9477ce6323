#include "plugin/region.h"

static struct sim_process *const S = &sim_process;

int sim_region_whole(void)
{
	return !S->options.from && !S->options.count && !S->options.from_ms &&
	       !S->options.count_ms && !S->options.function[0];
}

/* Off at once; on when each thread comes by (sim_vcpu_aim). */
void sim_region_switch(int on)
{
	for (size_t i = 0; i < SIM_VCPUS; i++) {
		struct sim_thread *const t = S->vcpu[i].thread;

		__atomic_store_n(&S->vcpu[i].simulate, on && t && t->slot < SIM_SLOTS ? t : NULL,
			__ATOMIC_RELAXED);
		if (!on)
			__atomic_store_n(&S->vcpu[i].fast, &S->nowhere, __ATOMIC_RELAXED);
		if (t)
			__atomic_store_n(&t->odd, 1, __ATOMIC_RELAXED);
	}
	S->on = on;
	if (on && !S->on_ms)
		S->on_ms = sim_process_ms() - S->begun_ms + 1;
	if (!on && S->on_ms) {
		S->off_ms = sim_process_ms() - S->begun_ms + 1;
		S->done = 1;
	}
}

void sim_region_watch(struct sim_run *r)
{
	const struct sim_options *const o = &S->options;
	const uint64_t ms = sim_process_ms() - S->begun_ms;
	uint64_t instructions = 0;

	if (S->done || o->function[0] || sim_region_whole())
		return;
	for (size_t i = 0; i < r->n_thread; i++)
		instructions += r->thread[i]->base;
	if (!S->on && instructions >= o->from && ms >= o->from_ms)
		sim_region_switch(1);
	else if (S->on && ((o->count && instructions >= o->from + o->count) ||
				  (o->count_ms && ms >= o->from_ms + o->count_ms)))
		sim_region_switch(0);
}

/* On when the function is entered by a call, off where that returns to. */
void sim_region_step(unsigned vcpu, struct sim_thread *t, const struct sim_block *before,
	const struct sim_block *b)
{
	if (!S->options.function[0] || t->slot == SIM_SLOTS)
		return;
	if (t->region_return && b->start == t->region_return) {
		t->region_return = 0;
		S->vcpu[vcpu].simulate = NULL;
		S->off_ms = sim_process_ms() - S->begun_ms + 1;
	} else if (b->odd & SIM_ODD_REGION && !t->region_return && before != &sim_block_none) {
		t->region_return = before->end;
		S->vcpu[vcpu].simulate = t;
		if (!S->on_ms)
			S->on_ms = sim_process_ms() - S->begun_ms + 1;
	}
}
