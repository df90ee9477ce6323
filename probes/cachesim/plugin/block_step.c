#include "plugin/block_step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/region.h"
#include "plugin/vcpus.h"

static struct sim_process *const S = &sim_process;

/* A block count for every block so far, and some to come. */
static int room_for(struct sim_thread *t, uint32_t number)
{
	size_t n = t->n_blocks ? t->n_blocks : 1024;
	struct sim_block_count *p;

	while (n <= number)
		n *= 2;
	p = realloc(t->blocks, n * sizeof *p);
	if (!p)
		return -ENOMEM;
	memset(p + t->n_blocks, 0, (n - t->n_blocks) * sizeof *p);
	t->blocks = p;
	t->n_blocks = n;
	return 0;
}

/* The block before has run to its end: what it accessed was counted, and every run does the same (a
 * repeated string instruction is one run a repetition; without any it accessed nothing). */
static void measured(struct sim_thread *t, const struct sim_block *before)
{
	struct sim_block *const b = S->run.block[before->number];

	if (!b->repeats || t->measure.bytes) {
		b->each = t->measure; /* two threads may come here, with the same numbers */
		__atomic_fetch_and(&b->odd, ~(unsigned)SIM_ODD_UNMEASURED, __ATOMIC_RELEASE);
	}
	sim_thread_measure(t, 0);
}

static void follow(struct sim_thread *t, const struct sim_block *before, uint64_t now)
{
	if (before->transfer == SIM_TRANSFER_CALL)
		sim_callers_call(&t->callers, before->end);
	else
		sim_callers_return(&t->callers, now);
}

/* The block ran twice in a row, as a loop of a single block does: what its next runs do is known,
 * so that until the limit they are only counted (sim_thread_settle). */
static void expect_again(struct sim_thread *t, const struct sim_block *b)
{
	const uint64_t limit = __atomic_load_n(&t->limit, __ATOMIC_RELAXED);

	if (b->turn && !b->repeats && b->n_ins && !t->odd && limit > t->base)
		t->again = t->again_most = (limit - t->base) >> (32 - __builtin_clz(b->n_ins));
}

static inline void count_block(
	struct sim_thread *t, const struct sim_block *before, const struct sim_block *b)
{
	struct sim_block_count *const c = &t->blocks[b->number];

	c->runs++;
	if (b->start > before->turn)
		return;
	c->back++;
	if (before->end > c->latch)
		c->latch = before->end;
	/* a string instruction that goes on is still the one that began */
	if (before->repeats && b->start == before->turn && t->base)
		t->base--;
	if (before == b)
		expect_again(t, b);
}

/* Counts only instructions, for code that is not simulated; a string instruction counts once. */
static inline void skip(
	struct sim_thread *t, const struct sim_block *before, const struct sim_block *b)
{
	const int again = before->repeats && b->start == before->turn && t->base;

	__atomic_store_n(&t->base, t->base - (uint64_t)again, __ATOMIC_RELAXED);
	t->skipped += b->n_ins - (uint64_t)again;
}

/* A block at which more is to be done than to count it. */
static __attribute__((noinline)) void block_slow(
	unsigned vcpu, const struct sim_block *b, int passes)
{
	struct sim_thread *t = sim_vcpu_thread(vcpu);
	const struct sim_block *before;

	if (!t && !(t = sim_vcpu_begin(vcpu)))
		return;
	sim_thread_settle(t);
	before = t->block;
	t->block = b;
	t->base += before->n_ins;
	if (t->measuring && S->vcpu[vcpu].simulate == t)
		measured(t, before);
	else if (t->measuring) /* the part ended while it ran */
		sim_thread_measure(t, 0);
	if (before->transfer && t->callers.back)
		follow(t, before, b->start);
	if (b->odd & SIM_ODD_REGION || t->region_return)
		sim_region_step(vcpu, t, before, b);
	if (b->number >= t->n_blocks && room_for(t, b->number)) {
		t->lost = 1;
	} else if (passes || S->vcpu[vcpu].simulate != t) {
		skip(t, before, b);
	} else {
		count_block(t, before, b);
		if (__atomic_load_n(&b->odd, __ATOMIC_ACQUIRE) & SIM_ODD_UNMEASURED)
			sim_thread_measure(t, 1);
	}
	if (t->base >= __atomic_load_n(&t->limit, __ATOMIC_RELAXED))
		sim_run_reach(&S->run, t);
	sim_vcpu_aim(vcpu, t);
}

static __attribute__((noinline)) void block_followed(
	struct sim_thread *t, const struct sim_block *before, const struct sim_block *b)
{
	follow(t, before, b->start);
	count_block(t, before, b);
}

static __attribute__((noinline)) void loop_left(unsigned vcpu, void *block)
{
	sim_thread_settle(sim_vcpu_thread(vcpu));
	sim_step(vcpu, block);
}

/* It is not simulated now. */
static __attribute__((noinline)) void block_passed(
	unsigned vcpu, struct sim_thread *t, const struct sim_block *b)
{
	const struct sim_block *const before = t->block;

	if (t->measuring || t->again_most ||
		t->base + before->n_ins >= __atomic_load_n(&t->limit, __ATOMIC_RELAXED)) {
		block_slow(vcpu, b, 1);
		return;
	}
	t->block = b;
	__atomic_store_n(&t->base, t->base + before->n_ins, __ATOMIC_RELAXED);
	if (before->transfer && t->callers.back)
		follow(t, before, b->start);
	skip(t, before, b);
}

/* Most blocks. Calls are its last acts only: it saves no registers. */
static inline __attribute__((always_inline)) void step(unsigned vcpu, void *data, int measured_all)
{
	const struct sim_block *const b = data, *before;
	struct sim_thread *const t = sim_vcpu_thread(vcpu);
	uint64_t base;

	if (__builtin_expect(!t, 0))
		goto slow;
	before = t->block;
	if (before == b && t->again) {
		t->again--;
		return;
	}
	if (__builtin_expect(t->again_most != 0, 0)) {
		loop_left(vcpu, data);
		return;
	}
	base = t->base + before->n_ins;
	if (__builtin_expect(
		    __atomic_load_n(&t->odd, __ATOMIC_RELAXED) |
				    (!measured_all && __atomic_load_n(&b->odd, __ATOMIC_RELAXED)) ||
			    b->number >= t->n_blocks ||
			    base >= __atomic_load_n(&t->limit, __ATOMIC_RELAXED),
		    0))
		goto slow;
	t->block = b;
	t->base = base;
	if (before->transfer && t->callers.back)
		block_followed(t, before, b);
	else
		count_block(t, before, b);
	return;
slow:
	if (t && !S->vcpu[vcpu].simulate && !S->options.function[0])
		block_passed(vcpu, t, b);
	else
		block_slow(vcpu, b, 0);
}

void sim_step(unsigned vcpu, void *data)
{
	step(vcpu, data, 0);
}

/* Its accesses are known, and not told. */
void sim_step_rest(unsigned vcpu, void *data)
{
	step(vcpu, data, 1);
}

void sim_step_pass(unsigned vcpu, void *data)
{
	struct sim_thread *const t = sim_vcpu_thread(vcpu);

	if (t)
		block_passed(vcpu, t, data);
	else
		block_slow(vcpu, data, 1);
}
