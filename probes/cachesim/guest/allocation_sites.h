/*
 * The heap blocks of the guest and the call stacks that allocated them. Memory grows with the heap:
 * 8 bytes per small block; each distinct stack is stored once.
 */
#ifndef SIM_SITES_H
#define SIM_SITES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_SITES_DEPTH 16     /* callers of an allocation */
#define SIM_SITES_CHAINS 32768 /* different ones */

struct sim_chain {
	uint64_t pc[SIM_SITES_DEPTH];
	uint32_t given,
		n; /* entries of pc: given by the followed calls; confirmed by the stack memory */
};

struct sim_small {
	uint16_t offset, bytes; /* in its page; bytes may end in the next */
	uint32_t chain;
};

struct sim_site_page {
	uint64_t page1; /* + 1; 0 empty */
	struct sim_small *block;
	uint16_t n, room;
};

struct sim_site {
	uint64_t start, bytes;
	uint32_t chain;
};

struct sim_sites {
	pthread_mutex_t lock;
	struct sim_chain *chain; /* owned; hashed, [0] unused: SIM_SITES_CHAINS * 2 places */
	size_t n_chain;
	struct sim_site_page *page; /* owned; hashed; each with its blocks by offset */
	size_t n_page, pages;
	struct sim_site *large; /* owned; those of a page or more, by address */
	size_t n_large, room;
	int lost; /* some blocks could not be stored: out of memory */
};

int sim_sites_open(struct sim_sites *s); /* 0 or -ENOMEM */
void sim_sites_close(struct sim_sites *s);

/*
 * The number of the call stack pc[0..n), innermost return address first. For a new stack,
 * confirm(arg, pc, n) is called once and returns how many of its addresses to keep. Once many
 * stacks are known, new ones are kept with fewer callers. 0: no room.
 */
uint32_t sim_sites_chain(struct sim_sites *s, const uint64_t *pc, size_t n,
	size_t (*confirm)(void *arg, const uint64_t *pc, size_t n), void *arg);

/* Records an allocated block; blocks it overlaps are forgotten. */
void sim_sites_give(struct sim_sites *s, uint64_t start, uint64_t bytes, uint32_t chain);

/* Forgets all blocks here: the memory was unmapped, or newly mapped. */
void sim_sites_unmap(struct sim_sites *s, uint64_t start, uint64_t bytes);

/* Finds the block that contains an address. 1, or 0: none. */
int sim_sites_find(struct sim_sites *s, uint64_t address, struct sim_site *out);

#endif
