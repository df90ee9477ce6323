/*
 * The frames of the code at an address, looked up once: the part of the stack resolver that is
 * about single addresses.
 */
#ifndef SD_STACK_CODE_H
#define SD_STACK_CODE_H

#include "resolve/stack_resolve.h"

#define SD_STACK_CODE_INLINED 16
#define SD_STACK_CODES 65536u /* powers of two */
#define SD_STACK_SPACES 4096u

/* The code at an address: frames of the record's stacks, innermost first. */
struct sd_stack_resolve_code {
	int pid;
	unsigned age;
	int caller; /* 1, 0; 2: of the kernel */
	unsigned n, frame[SD_STACK_CODE_INLINED];
	uint64_t pc;
	int asked;     /* what is called here was looked up */
	unsigned stub; /* the function of another file that is called here: a text; 0 none */
};

static inline uint64_t sd_stack_code_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* How often a process's address space has changed: what was looked up at another age is void. */
unsigned *sd_stack_code_age(struct sd_stack_resolve *p, int pid);

/* The record's frame for a place. 0 or -errno: no room in the stacks. */
int sd_stack_code_frame(
	struct sd_stack_resolve *p, const struct sd_placement_of *place, int kernel, unsigned *out);

/* The code at this address; NULL: no room in the stacks. `kind`: sd_stack_resolve_code.caller. */
struct sd_stack_resolve_code *sd_stack_code_at(
	struct sd_stack_resolve *p, int pid, uint64_t pc, int kind);

/* Adds the frames of an address below `node`. Returns the innermost one's node. */
unsigned sd_stack_code_add(
	struct sd_stack_resolve *p, unsigned node, int pid, uint64_t pc, int kind);

/* The text of the function that is called before `pc`, when it is one of another file; 0: not. */
unsigned sd_stack_code_called(struct sd_stack_resolve *p, int pid, uint64_t pc);

#endif
