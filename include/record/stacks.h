/*
 * The call stacks of a record, each stored once: texts, frames, and a tree of frames whose paths
 * are the stacks (a calling-context tree, as in HPCToolkit).
 */
#ifndef SD_STACKS_H
#define SD_STACKS_H

#include <stddef.h>
#include <stdint.h>

/* Limits of a record's table. What exceeds them is counted under a "(too many)" frame, never
 * silently dropped. */
#define SD_STACKS_NODES 262144u
#define SD_STACKS_TEXT 1023u /* bytes of a name; longer ones are truncated with "…" */
#define SD_STACKS_DEPTH 192u /* frames of a stack; outermost ones are cut */

/*
 * A code location. Texts are indices into sd_stacks.text; 0 is "", unknown. Without a symbol the
 * function is unknown and `offset` locates it within the module.
 */
struct sd_frame {
	unsigned function, file,
		module;  /* module: path of the ELF file, "[kernel]", "[vdso]", "[jit]" */
	unsigned line;   /* 0 unknown */
	uint64_t offset; /* of the instruction in the module; for JIT code its address */
	int inlined;     /* into the next outer frame */
	int kernel;
};

/* Behind the name of a function that takes an object's lock for a language's runtime, as far as
 * that tells: the object's class, and "]". */
#define SD_STACKS_OF " [of "

/* A stack is the path from a node to the root; node 0 is the root: the empty stack. */
struct sd_node {
	unsigned parent; /* the caller; smaller than the node's own index */
	unsigned frame;
};

struct sd_stacks {
	char **text; /* owned, each owned; [0] is "" unless the table is empty */
	size_t n_text;
	struct sd_frame *frame; /* owned */
	size_t n_frame;
	struct sd_node *node; /* owned */
	size_t n_node;
	struct sd_stacks_index *index; /* owned; lookup of existing entries; NULL until needed */
	char *file, *called;           /* owned; sd_stacks_call; NULL: none */
};

/* Each finds an existing entry or appends it, and stores its index in *out. 0, -ENOMEM, or -ENOSPC:
 * table full. A zeroed table is empty. Texts keep control characters and invalid UTF-8; whoever
 * prints them must sanitize them. */
int sd_stacks_text(struct sd_stacks *s, const char *text, unsigned *out);
int sd_stacks_frame(struct sd_stacks *s, const struct sd_frame *frame, unsigned *out);
int sd_stacks_node(struct sd_stacks *s, unsigned parent, unsigned frame, unsigned *out);

/* The text of an index; "" where the table has none. */
const char *sd_stacks_text_at(const struct sd_stacks *s, unsigned index);

/* From now on the text `file`, a path, is kept as `called`: as the user knows that file. 0 or
 * -ENOMEM. */
int sd_stacks_call(struct sd_stacks *s, const char *file, const char *called);

void sd_stacks_free(struct sd_stacks *s); /* accepts the zeroed value, leaves it */

#endif
