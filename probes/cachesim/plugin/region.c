#include "plugin/region.h"

#include "plugin/interface.h"

static struct sim_process *const S = &sim_process;

int sim_region_whole(void)
{
	return !S->options.from && !S->options.count && !S->options.from_ms &&
	       !S->options.count_ms && !S->options.function[0];
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

/* Each thread's accesses take the short way again when it comes by (sim_vcpu_aim). */
static void set_rests(int rests)
{
	__atomic_store_n(&S->rests, rests, __ATOMIC_SEQ_CST);
	S->run.rests = rests;
	for (size_t i = 0; i < SIM_VCPUS; i++) {
		struct sim_thread *const t = S->vcpu[i].thread;

		if (rests)
			__atomic_store_n(&S->vcpu[i].fast, &S->nowhere, __ATOMIC_SEQ_CST);
		if (t)
			__atomic_store_n(&t->odd, 1, __ATOMIC_SEQ_CST);
	}
}

void sim_region_part(const struct sim_run *r)
{
	S->switches = 0;
	sim_sampled_parts_warm(&S->parts, r, instructions_of(r));
	set_rests(0);
}

void sim_region_finish(const struct sim_run *r)
{
	sim_sampled_parts_finish(&S->parts, r, instructions_of(r));
}

/* Without callbacks of accesses while the model rests, where they can come back: with a second
 * thread they could not at once, and are called then and do nothing. */
static int may_drop_accesses(const struct sim_run *r)
{
	return is_alone(r) && (sim_interface_retranslates() ||
				      (!S->threaded && S->blocks.target == SD_INSN_DECODE_X86_64));
}

static void watch_parts(struct sim_run *r)
{
	const uint64_t now = instructions_of(r);
	int models;

	if (S->switches || now < S->parts.next)
		return;
	models = sim_sampled_parts_step(&S->parts, r, now);
	if (models != S->rests)
		return;
	if (!models) {
		set_rests(1);
		if (may_drop_accesses(r))
			S->wanted = SIM_MODE_REST;
	} else if (S->mode == SIM_MODE_REST || S->wanted == SIM_MODE_REST) {
		S->switches = 1;
		S->wanted = SIM_MODE_ALL;
	} else {
		sim_region_part(r);
	}
}

void sim_region_watch(struct sim_run *r)
{
	const struct sim_options *const o = &S->options;
	uint64_t ms, instructions;

	if (S->done || o->function[0] || (sim_region_whole() && !o->share && !o->settle))
		return;
	ms = sim_process_ms() - S->begun_ms;
	instructions = instructions_of(r);
	if (o->share || o->settle) {
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
