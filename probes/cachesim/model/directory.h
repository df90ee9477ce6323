/*
 * The directory: which private caches hold a line, and which owns it (MESI). Lines in no private
 * cache have no entry.
 */
#ifndef SIM_DIRECTORY_H
#define SIM_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#define SIM_SLOTS 256 /* private caches: simulated threads alive at one time */
#define SIM_WORDS (SIM_SLOTS / 64)
#define SIM_NOBODY 0xffffu

struct sim_holder {
	uint64_t line1;                              /* line number + 1; 0 empty */
	uint64_t in_l1[SIM_WORDS], in_l2[SIM_WORDS]; /* bit = slot */
	uint16_t owner;                              /* slot in state E or M; SIM_NOBODY: shared */
	uint16_t dirty;                              /* M */
};

struct sim_directory {
	struct sim_holder *slot; /* owned; open addressing */
	size_t size, used;
};

int sim_directory_open(struct sim_directory *d); /* 0 or -ENOMEM */
void sim_directory_close(struct sim_directory *d);

/* NULL: in no private cache. Pointers are valid until the next get or drop. */
struct sim_holder *sim_directory_find(const struct sim_directory *d, uint64_t line);
struct sim_holder *sim_directory_get(
	struct sim_directory *d, uint64_t line); /* created if missing; NULL: out of memory */
void sim_directory_drop(struct sim_directory *d, struct sim_holder *h);

static inline int sim_bit(const uint64_t *words, unsigned slot)
{
	return words[slot / 64] >> slot % 64 & 1;
}

static inline void sim_bit_set(uint64_t *words, unsigned slot)
{
	words[slot / 64] |= 1ull << slot % 64;
}

static inline void sim_bit_clear(uint64_t *words, unsigned slot)
{
	words[slot / 64] &= ~(1ull << slot % 64);
}

/* Mixes a line number: neighbours land far apart. */
static inline uint64_t sim_hash(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 32;
}

#endif
