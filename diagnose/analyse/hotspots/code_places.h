/*
 * Maps the stacks of a record to functions, and each stack to its spot in the program's own code.
 */
#ifndef SD_CODE_PLACES_H
#define SD_CODE_PLACES_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "record/stacks.h"

/* A function, by its texts in the record; index 0 is the unknown one: no stack. */
struct sd_function {
	unsigned name, file, module;
	uint64_t offset; /* without a name: of its code in the module's file */
	int own;         /* in the program's own code, not the system's */
};

/*
 * A line of the program's own code and the system function in which its time was spent. It is the
 * innermost frame whose module and source file do not belong to the system; if that frame has no
 * line but other code of its module does (statically linked libraries), the innermost frame with a
 * line. A stack without such a frame belongs to its innermost function that an interpreter ran, a
 * library's, and without one to its innermost frame.
 */
struct sd_spot {
	unsigned function, frame; /* frame: index into the stacks' frames; has the line */
	unsigned in;              /* function that it called; 0 none */
	unsigned from;            /* function of the program's own code that called it; 0 none */
	int allocates;            /* malloc or similar is on the path */
	int locks;                /* a function that takes or releases locks is on the path, or one
				     of the system that holds a contended one while it runs */
	int rwlock;               /* that lock is a read-write lock */
	int tasks;    /* in code that creates and dispatches tasks, not in a task's own code */
	int messages; /* objects become messages to other processes on the path, or come from them
		       */
};

struct sd_code_places {
	const struct sd_stacks *stacks; /* borrowed */
	struct sd_function *function;   /* owned */
	size_t n_function;
	unsigned *of_frame;   /* owned; function of each frame */
	unsigned *spot_of;    /* owned; spot of each node */
	struct sd_spot *spot; /* owned; [0]: no stack */
	size_t n_spot;
	const unsigned char *holds; /* borrowed while it is made */
};

/*
 * 0 or -ENOMEM; *out is to be freed in every case. Indices out of range count as no stack. `holds`:
 * 1 for the name (a text of the stacks) of each function that holds a contended lock while it runs;
 * NULL: none is known.
 */
int sd_code_places_make(
	struct sd_code_places *out, const struct sd_stacks *stacks, const unsigned char *holds);

/*
 * Finds them by a stack that waited for such a lock: the function of the system's that asked for
 * it. What the program itself does between locking and unlocking may be any part of a function. 0:
 * none.
 */
unsigned sd_code_places_asked(const struct sd_stacks *s, unsigned node);
void sd_code_places_free(struct sd_code_places *p); /* accepts the zeroed value */

/* Function of the innermost frame of a node; 0: none. */
unsigned sd_code_places_leaf(const struct sd_code_places *p, unsigned node);

/* The spot of a node that may be out of range. */
unsigned sd_code_places_spot(const struct sd_code_places *p, unsigned node);

/* Fills the names of a place with copies; line and share stay. 0 or -ENOMEM. */
int sd_code_places_name(const struct sd_code_places *p, unsigned function, unsigned in,
	unsigned from, struct sd_where *out);

#endif
