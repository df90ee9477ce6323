/*
 * The directory: which private caches hold a line, and which owns it (MESI). Lines in no private
 * cache have no entry.
 */
#ifndef SIM_DIRECTORY_H
#define SIM_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#define SIM_SLOTS 256 /* private caches: simulated threads alive at one time */
#define SIM_NOBODY 0xffffu

struct sim_holder {
	uint64_t line1; /* line number + 1; 0 empty */
	uint16_t owner; /* slot in state E or M; SIM_NOBODY: shared */
	uint16_t dirty; /* M */
	uint32_t words; /* of `in`, as many as the directory's slots need */
	struct sim_holder_slots {
		uint64_t level[2]; /* L1, L2; bit = slot */
	} in[];
};

/* With up to 64 slots two entries are one cache line of the host. */
struct sim_directory {
	unsigned char *entry; /* mapped; open addressing */
	size_t size, used, stride;
	uint32_t words;
};

int sim_directory_open(struct sim_directory *d); /* 0 or -ENOMEM */
void sim_directory_close(struct sim_directory *d);

/* Makes room for a slot in every entry; before it is used. 0 or -ENOMEM. */
int sim_directory_widen(struct sim_directory *d, unsigned slot);

/* NULL: in no private cache. Pointers are valid until the next get or drop. */
struct sim_holder *sim_directory_find(const struct sim_directory *d, uint64_t line);
struct sim_holder *sim_directory_get(
	struct sim_directory *d, uint64_t line); /* created if missing; NULL: out of memory */
void sim_directory_drop(struct sim_directory *d, struct sim_holder *h);

/* Whether a slot's L1 or L2 (level 1 or 2) holds the line. */
static inline int sim_holder_has(const struct sim_holder *h, unsigned level, unsigned slot)
{
	return h->in[slot / 64].level[level - 1] >> slot % 64 & 1;
}

static inline void sim_holder_add(struct sim_holder *h, unsigned level, unsigned slot)
{
	h->in[slot / 64].level[level - 1] |= 1ull << slot % 64;
}

static inline void sim_holder_remove(struct sim_holder *h, unsigned level, unsigned slot)
{
	h->in[slot / 64].level[level - 1] &= ~(1ull << slot % 64);
}

/* The slots of a word that hold the line in either. */
static inline uint64_t sim_holder_slots(const struct sim_holder *h, uint32_t word)
{
	return h->in[word].level[0] | h->in[word].level[1];
}

/* Mixes a line number: neighbours land far apart. */
static inline uint64_t sim_hash(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 32;
}

/* Prefetches where the search for a line begins: likely not in the host's near caches. */
static inline void sim_directory_expect(const struct sim_directory *d, uint64_t line)
{
	__builtin_prefetch(d->entry + (sim_hash(line) & (d->size - 1)) * d->stride, 1);
}

#endif
