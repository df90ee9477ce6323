/*
 * The blocks of the guest's heap, and the call stacks that asked for them. Memory grows with the
 * heap: 8 bytes a small block, each stack once.
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
	uint32_t given, n; /* of pc: as the thread's calls gave them; that its stack confirmed */
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
	int lost; /* some blocks found no memory */
};

int sim_sites_open(struct sim_sites *s); /* 0 or -ENOMEM */
void sim_sites_close(struct sim_sites *s);

/*
 * The number of a call stack pc[0..n), innermost return address first; it is kept as far as
 * confirm(arg, pc, n) says, which is asked once for each. When many are known already, new ones are
 * kept with fewer callers. 0: no room.
 */
uint32_t sim_sites_chain(struct sim_sites *s, const uint64_t *pc, size_t n,
	size_t (*confirm)(void *arg, const uint64_t *pc, size_t n), void *arg);

/* A block was given; what was where it is now is over. */
void sim_sites_give(struct sim_sites *s, uint64_t start, uint64_t bytes, uint32_t chain);

/* This memory is no heap's any more, or new. */
void sim_sites_unmap(struct sim_sites *s, uint64_t start, uint64_t bytes);

/* The block that holds an address. 1, or 0: none. */
int sim_sites_find(struct sim_sites *s, uint64_t address, struct sim_site *out);

#endif
