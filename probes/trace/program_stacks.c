#include "trace/program_stacks.h"

#include <string.h>

/*
 * With programs in the kernel (bpf/switch_programs.h), every wait says which stack it left from,
 * and only new stacks are written: so many a second of a CPU at most, of which so many may be saved
 * up; and of known stacks, which may have other callers by now, those.
 */
#define NEW_HZ 1000
#define NEW_MOST 256
#define AGAIN_HZ 150
#define AGAIN_MOST 32

/* The part of these stacks that half of the ring holds. */
static uint64_t held(const struct sd_cpu_recorder *r, uint64_t most)
{
	const uint64_t room = r->ring.size / 2 / r->switch_bytes;

	return room < most ? room : most;
}

/* Stacks allowed now: `left` and those that the time since the last look adds, up to `most`. */
static uint64_t more(uint64_t left, double since_s, double hz, uint64_t most)
{
	const uint64_t sum = left + (uint64_t)(since_s * hz);

	return sum < most ? sum : most;
}

void sd_program_stacks_pace(struct sd_cpu_recorder *r, uint64_t now_ns)
{
	struct sd_switch_ring *const ring = r->switches;
	const uint64_t seen = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint64_t stacks = __atomic_load_n(&ring->stacks, __ATOMIC_RELAXED);
	const double since = (double)(now_ns - r->since) * 1e-9;
	const double share = r->share ? (double)r->share : 1;
	const uint64_t allowed = ring->allowed > stacks ? ring->allowed - stacks : 0;
	const uint64_t again = ring->again > stacks ? ring->again - stacks : 0;

	if (r->since) {
		r->rate = (double)(seen - r->seen) / 2 / since; /* as many wake-ups */
		__atomic_store_n(&ring->allowed,
			stacks + more(allowed, since, NEW_HZ / share, held(r, NEW_MOST)),
			__ATOMIC_RELAXED);
		__atomic_store_n(&ring->again,
			stacks + more(again, since, AGAIN_HZ / share, held(r, AGAIN_MOST)),
			__ATOMIC_RELAXED);
	}
	r->seen = seen;
	r->since = now_ns;
}

void sd_program_stacks_start(struct sd_cpu_recorder *r)
{
	struct sd_switch_ring *const ring = r->switches;
	const uint64_t stacks = __atomic_load_n(&ring->stacks, __ATOMIC_RELAXED);

	memset(ring->known, 0, sizeof ring->known);
	__atomic_store_n(&ring->allowed, stacks + held(r, NEW_MOST), __ATOMIC_RELAXED);
	__atomic_store_n(&ring->again, stacks + held(r, AGAIN_MOST), __ATOMIC_RELAXED);
	__atomic_store_n(
		&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	r->missed = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
	r->share = 0;
}
