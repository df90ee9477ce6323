#include "plugin/vcpus.h"

#include <unistd.h>

static struct sim_process *const S = &sim_process;

/* The short ways of blocks and of accesses are open to a thread that is simulated while nothing
 * more than that is to be done. */
void sim_vcpu_aim(unsigned vcpu, struct sim_thread *t)
{
	struct sim_vcpu *const v = &S->vcpu[vcpu];

	/* again when another thread has switched it meanwhile */
	for (;;) {
		const int simulate = __atomic_load_n(&v->simulate, __ATOMIC_SEQ_CST) != NULL;
		const int odd = !simulate || t->measuring || t->region_return;
		const int rests = __atomic_load_n(&S->rests, __ATOMIC_SEQ_CST);
		struct sim_fast *const fast = !simulate || (rests && !t->measuring) ? NULL
					      : sim_thread_may_fast(t) && !rests    ? &t->near->fast
										    : &S->nowhere;

		if (t->odd == odd && v->fast == fast)
			return;
		__atomic_store_n(&t->odd, odd, __ATOMIC_SEQ_CST);
		__atomic_store_n(&v->fast, fast, __ATOMIC_SEQ_CST);
	}
}

struct sim_thread *sim_vcpu_begin(unsigned vcpu)
{
	struct sim_thread *t;

	if (vcpu >= SIM_VCPUS) {
		S->beyond++;
		return NULL;
	}
	t = S->blocks.target != SD_INSN_DECODE_OTHER && S->run.n_seen == 0 &&
			    !S->options.instructions
		    ? sim_run_begin_alone(&S->run, (int)gettid())
		    : sim_run_begin(&S->run, (int)gettid());
	if (t && S->hears)
		t->lost |= sim_callers_open(&t->callers) != 0;
	S->vcpu[vcpu].thread = t;
	S->vcpu[vcpu].simulate = S->on && t && t->slot < SIM_SLOTS ? t : NULL;
	if (t)
		sim_vcpu_aim(vcpu, t);
	return t;
}

void sim_vcpu_end(unsigned vcpu)
{
	struct sim_thread *const t = sim_vcpu_thread(vcpu);

	if (!t)
		return;
	S->vcpu[vcpu] = (struct sim_vcpu){.fast = &S->nowhere};
	sim_run_end(&S->run, t);
}

void sim_vcpu_none(void)
{
	for (size_t i = 0; i < SIM_VCPUS; i++)
		S->vcpu[i] = (struct sim_vcpu){.fast = &S->nowhere};
}
