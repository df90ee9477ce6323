/*
 * How threads order themselves by locked accesses and system calls.
 */
#include "threads/guest_thread.h"

uint32_t sim_thread_order(struct sim_thread *t)
{
	uint32_t order;

	if (!t->orders)
		return 0;
	order = __atomic_add_fetch(t->orders, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&t->own_order[t->n_own_order % SIM_ORDERS], order, __ATOMIC_RELAXED);
	__atomic_store_n(&t->n_own_order, t->n_own_order + 1, __ATOMIC_RELEASE);
	return order;
}

int sim_thread_ordered(const struct sim_thread *t, uint32_t one, uint32_t other)
{
	const uint32_t n = __atomic_load_n(&t->n_own_order, __ATOMIC_ACQUIRE);
	const uint32_t first = (int32_t)(other - one) < 0 ? other : one;
	const uint32_t last = first == one ? other : one;

	for (uint32_t i = 0; i < n && i < SIM_ORDERS; i++) {
		const uint32_t o =
			__atomic_load_n(&t->own_order[(n - 1 - i) % SIM_ORDERS], __ATOMIC_RELAXED);

		if ((int32_t)(o - first) <= 0)
			return 0;
		if ((int32_t)(o - last) <= 0)
			return 1;
	}
	return n > SIM_ORDERS;
}
