/*
 * Places of code as nodes of a record's stacks, by source line.
 */
#ifndef SD_CODE_NODES_H
#define SD_CODE_NODES_H

#include "record/stacks.h"
#include "symbols/symbols.h"

/* All borrowed. Without stacks everything is node 0. */
struct sd_code_nodes {
	struct sd_symbols *symbols;
	struct sd_stacks *stacks;
	int pid;
};

/* A text of the stacks; 0 for none, and where there is no room for more. 0 or -ENOMEM. */
int sd_code_nodes_text(struct sd_stacks *stacks, const char *s, unsigned *out);

/*
 * The node of an address below `parent`, with the functions inlined there; instructions of one line
 * are one node. `caller`: as sd_symbols_at. *out is `parent` where there is no room. 0 or -ENOMEM.
 */
int sd_code_nodes_add(
	const struct sd_code_nodes *n, uint64_t pc, int caller, unsigned parent, unsigned *out);

#endif
