#include "model/huge_page_model.h"

#define PAGE (1ull << SIM_HUGE_SHIFT)

/* Whoever asks meanwhile finds the old range, the new one, or none. */
static void set(struct sim_huge_range *r, uint64_t start, uint64_t end)
{
	__atomic_store_n(&r->end, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&r->start, start, __ATOMIC_RELEASE);
	__atomic_store_n(&r->end, end, __ATOMIC_RELEASE);
}

static void add(struct sim_huge *h, uint64_t start, uint64_t end)
{
	unsigned i = 0;

	while (i < h->n && h->range[i].start < h->range[i].end)
		i++;
	if (start >= end || i == SIM_HUGE_RANGES)
		return;
	set(&h->range[i], start, end);
	if (i == h->n)
		__atomic_store_n(&h->n, i + 1, __ATOMIC_RELEASE);
}

void sim_huge_forget(struct sim_huge *h, uint64_t start, uint64_t bytes)
{
	const uint64_t end = bytes > UINT64_MAX - start ? UINT64_MAX : start + bytes;
	const unsigned n = h->n;

	/* a huge page of which a part goes is split */
	for (unsigned i = 0; i < n; i++) {
		const struct sim_huge_range old = h->range[i];

		if (old.start >= end || old.end <= start)
			continue;
		set(&h->range[i], old.start, start < old.start ? old.start : start & ~(PAGE - 1));
		if (end < old.end)
			add(h, (end + PAGE - 1) & ~(PAGE - 1), old.end);
	}
}

void sim_huge_want(struct sim_huge *h, uint64_t start, uint64_t bytes)
{
	if (bytes > UINT64_MAX - start || start > UINT64_MAX - PAGE)
		return;
	sim_huge_forget(h, start, bytes);
	add(h, (start + PAGE - 1) & ~(PAGE - 1), (start + bytes) & ~(PAGE - 1));
}
