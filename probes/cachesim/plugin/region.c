#include "plugin/region.h"

#include "plugin/interface.h"

static struct sim_process *const S = &sim_process;

int sim_region_whole(void)
{
	return !S->options.from && !S->options.count && !S->options.from_ms &&
	       !S->options.count_ms && !S->options.function[0] && !S->options.share;
}

enum sim_mode sim_region_mode(void)
{
	/* with a second thread those for all accesses must be there at once */
	return (S->options.from || S->options.from_ms) && sim_interface_retranslates()
		       ? SIM_MODE_PASS
		       : SIM_MODE_ALL;
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
	if (S->options.share)
		return;
	if (on && !S->on_ms)
		S->on_ms = sim_process_ms() - S->begun_ms + 1;
	if (!on && S->on_ms) {
		S->off_ms = sim_process_ms() - S->begun_ms + 1;
		S->done = 1;
	}
}

/* Nobody but the caller runs, or will before it does. */
static int is_alone(const struct sim_run *r)
{
	size_t alive = 0;

	for (size_t i = 0; i < r->n_thread; i++)
		alive += r->thread[i]->state != SIM_GONE;
	return alive == 1 && r->coming == 0 && r->n_seen == r->n_thread && !S->beyond;
}

static uint64_t instructions_of(const struct sim_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_thread; i++)
		n += __atomic_load_n(&r->thread[i]->base, __ATOMIC_RELAXED);
	return n;
}

void sim_region_sample(const struct sim_run *r, int on)
{
	S->switches = 0;
	if (on)
		sim_sampled_parts_begin(&S->parts, instructions_of(r));
	else
		sim_sampled_parts_end(&S->parts, r, S->options.share);
	sim_region_switch(on);
}

/* The next change is due; it comes with new translations where QEMU can. */
static void watch_parts(const struct sim_run *r)
{
	if (S->wanted != S->mode || instructions_of(r) < S->parts.next)
		return;
	if (!sim_interface_retranslates()) {
		sim_region_sample(r, !S->on);
		return;
	}
	S->switches = 1;
	S->wanted = S->on ? SIM_MODE_PASS : SIM_MODE_ALL;
}

void sim_region_watch(struct sim_run *r)
{
	const struct sim_options *const o = &S->options;
	const uint64_t ms = sim_process_ms() - S->begun_ms;
	const uint64_t instructions = instructions_of(r);

	if (S->done || o->function[0] || sim_region_whole())
		return;
	if (o->share) {
		watch_parts(r);
	} else if (!S->on && instructions >= o->from && ms >= o->from_ms) {
		sim_region_switch(1);
		S->wanted = SIM_MODE_ALL;
	} else if (S->on && ((o->count && instructions >= o->from + o->count) ||
				    (o->count_ms && ms >= o->from_ms + o->count_ms))) {
		sim_region_switch(0);
		S->wanted = SIM_MODE_NOTHING;
	}
	if (is_alone(r))
		sim_process_retranslate();
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
