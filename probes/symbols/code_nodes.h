/*
 * Converts code addresses to nodes of a record's stacks, one a source line, and names variables.
 */
#ifndef SD_CODE_NODES_H
#define SD_CODE_NODES_H

#include "record/simulated.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

/* All borrowed. Without stacks every address is node 0. */
struct sd_code_nodes {
	struct sd_symbols *symbols;
	struct sd_stacks *stacks;
	int pid;
};

/* Adds a text to the stacks; *out is 0 for NULL, and if the table is full. 0 or -ENOMEM. */
int sd_code_nodes_text(struct sd_stacks *stacks, const char *s, unsigned *out);

/*
 * The node of an address below `parent`, including inlined functions; all instructions of a line
 * share a node. `caller`: as in sd_symbols_at. *out is `parent` if the table is full. 0 or -ENOMEM.
 */
int sd_code_nodes_add(
	const struct sd_code_nodes *n, uint64_t pc, int caller, unsigned parent, unsigned *out);

/*
 * The text that names the variables in a cache line, by their parts where types tell them:
 * "counters[3].hits, done" (part_names.h). Bit i of `touched`: its i-th part of `cell` bytes was
 * touched. *out is 0 when there is none (heap, stack). 0 or -ENOMEM.
 */
int sd_code_nodes_variables(const struct sd_code_nodes *n, uint64_t line, uint64_t touched,
	unsigned cell, unsigned *out);

/*
 * Adds the object that a part lies in, whose byte is at `byte` of the line, to what is known of the
 * line, unless it is there or there are too many. 0 or -ENOMEM.
 */
int sd_code_nodes_object(const struct sd_code_nodes *n, const struct sd_symbols_part *part,
	unsigned byte, enum sd_object_storage storage, struct sd_sim_contested *to);
/* Likewise all global variables of which bytes are touched, as above. */
int sd_code_nodes_objects(const struct sd_code_nodes *n, uint64_t line, uint64_t touched,
	unsigned cell, struct sd_sim_contested *to);

#endif
