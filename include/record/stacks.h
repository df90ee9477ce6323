/*
 * Call stacks of a record, each stored once: texts, frames, and a tree of frames whose paths are
 * the stacks (a calling-context tree, as HPCToolkit keeps it).
 */
#ifndef SD_STACKS_H
#define SD_STACKS_H

#include <stddef.h>
#include <stdint.h>

/* Limits of a record's table; what exceeds them is counted under a "(too many)" frame, never
 * dropped in silence. */
#define SD_STACKS_NODES 262144u
#define SD_STACKS_TEXT 1023u /* bytes of a name; longer ones are cut and end in "…" */
#define SD_STACKS_DEPTH 192u /* frames of a stack; the outermost ones are cut */

/*
 * A place in code. Texts are numbers of sd_stacks.text; 0 is the empty one: unknown. Without a
 * symbol the function is unknown and `offset` into the module says where it is.
 */
struct sd_frame {
	unsigned function, file,
		module;  /* module: path of the ELF file, "[kernel]", "[vdso]", "[jit]" */
	unsigned line;   /* 0 unknown */
	uint64_t offset; /* in the module, of the instruction; of a JIT the address */
	int inlined;     /* into the next outer frame */
	int kernel;
};

/* A stack is the path from a node to the root; node 0 is the root: the empty stack. */
struct sd_node {
	unsigned parent; /* the caller; less than the node's own number */
	unsigned frame;
};

struct sd_stacks {
	char **text; /* owned, each owned; [0] is "" once anything is in the table */
	size_t n_text;
	struct sd_frame *frame; /* owned */
	size_t n_frame;
	struct sd_node *node; /* owned */
	size_t n_node;
	struct sd_stacks_index *index; /* owned; finds what is there already; NULL until needed */
};

/* Each yields the number of what is in the table already or appends it: 0, -ENOMEM, or -ENOSPC when
 * the table is full. A zeroed table is an empty one. Control characters and invalid UTF-8 in texts
 * are kept: who prints them cleans them. */
int sd_stacks_text(struct sd_stacks *s, const char *text, unsigned *out);
int sd_stacks_frame(struct sd_stacks *s, const struct sd_frame *frame, unsigned *out);
int sd_stacks_node(struct sd_stacks *s, unsigned parent, unsigned frame, unsigned *out);

void sd_stacks_free(struct sd_stacks *s); /* accepts the zeroed value, leaves it */

#endif
