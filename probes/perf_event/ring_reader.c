#include "perf_event/ring_reader.h"

#include <string.h>

struct sd_ring_reader sd_ring_reader_begin(struct sd_perf_mmap *ring)
{
	struct sd_ring_reader r = {.ring = ring};

	r.head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	r.at = ring->control->data_tail;
	if (r.head - r.at > ring->size) { /* not what the kernel writes: begin anew */
		r.at = r.head;
		r.broken = 1;
	}
	return r;
}

static void copy(const struct sd_perf_mmap *ring, uint64_t at, void *to, size_t n)
{
	const size_t offset = at & (ring->size - 1);
	const size_t first = n < ring->size - offset ? n : ring->size - offset;

	memcpy(to, ring->data + offset, first);
	memcpy((char *)to + first, ring->data, n - first);
}

const struct perf_event_header *sd_ring_reader_next(struct sd_ring_reader *r, void *scratch)
{
	const struct sd_perf_mmap *const ring = r->ring;
	struct perf_event_header h;
	size_t offset;

	if (r->head - r->at < sizeof h) {
		r->broken |= r->head != r->at;
		r->at = r->head;
		return NULL;
	}
	copy(ring, r->at, &h, sizeof h);
	/* the kernel keeps records at multiples of 8 */
	if (h.size < sizeof h || h.size > r->head - r->at || h.size % 8 || r->at % 8) {
		r->broken = 1;
		r->at = r->head;
		return NULL;
	}
	offset = r->at & (ring->size - 1);
	r->at += h.size;
	if (h.size <= ring->size - offset)
		return (const void *)(ring->data + offset);
	copy(ring, r->at - h.size, scratch, h.size);
	return scratch;
}

void sd_ring_reader_end(struct sd_ring_reader *r, uint64_t upto)
{
	__atomic_store_n(&r->ring->control->data_tail, upto, __ATOMIC_RELEASE);
}
