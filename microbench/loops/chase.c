#include "loops/chase.h"

#include "loops/plain.h"

#define ROUNDS 4u

/* One bit more than half of the bits that hold n-1, at least one. */
static unsigned half_bits(uint64_t n)
{
	unsigned bits = 2;

	while (bits < 64 && (n - 1) >> bits)
		bits += 2;
	return bits / 2;
}

/* A balanced Feistel network over 2^(2 half) numbers: invertible whatever the round function is. */
static uint64_t feistel(uint64_t x, unsigned half, uint64_t key)
{
	const uint64_t mask = ((uint64_t)1 << half) - 1;
	uint64_t left = x >> half, right = x & mask;

	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t z = right ^ (key + r * 0x9e3779b97f4a7c15u);
		uint64_t next;

		z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
		next = left ^ ((z ^ (z >> 32)) & mask);
		left = right;
		right = next;
	}
	return left << half | right;
}

uint64_t sd_chase_order(const struct sd_chase *c, uint64_t k)
{
	const unsigned half = half_bits(c->lines);

	/* out of range: apply it again; that is still one to one (cycle walking) */
	do
		k = feistel(k, half, c->key);
	while (k >= c->lines);
	return k;
}

static void **line_at(const struct sd_chase *c, uint64_t line)
{
	return (void **)(void *)((unsigned char *)c->base + line * c->stride);
}

void sd_chase_build(const struct sd_chase *c, uint64_t first, uint64_t count)
{
	void **from = line_at(c, sd_chase_order(c, first % c->lines));

	for (uint64_t k = first; k < first + count; k++) {
		void **to = line_at(c, sd_chase_order(c, (k + 1) % c->lines));

		*from = (void *)to;
		from = to;
	}
}

void *sd_chase_begin(const struct sd_chase *c)
{
	return (void *)line_at(c, sd_chase_order(c, 0));
}

#define STEP p = *(void *const *)p;
#define STEP4 STEP STEP STEP STEP

SD_PLAIN void *sd_chase_walk(void *from, size_t steps)
{
	void *p = from;

	for (size_t i = 0; i < steps; i += 16) {
		STEP4 STEP4 STEP4 STEP4 __asm__ volatile("" : "+r"(p));
	}
	return p;
}

double sd_chase_foreseeable(const void *begin, size_t lines, unsigned stride)
{
	const size_t steps = lines < 65536 ? lines : 65536;
	const unsigned char *p = begin;
	ptrdiff_t before = 0;
	size_t hits = 0;

	for (size_t i = 0; i < steps; i++) {
		const unsigned char *to = *(const unsigned char *const *)(const void *)p;
		const ptrdiff_t step = to - p;

		hits += step == before || step == (ptrdiff_t)stride || step == -(ptrdiff_t)stride;
		before = step;
		p = to;
	}
	return steps ? (double)hits / (double)steps : 0;
}
