/*
 * Does code touch only what its own thread has: the local variables of its function whose address
 * nobody takes, constants, and functions that do likewise? Such code needs no lock.
 */
#ifndef SD_FIX_OWN_H
#define SD_FIX_OWN_H

#include "fix/fix_source.h"

struct sd_fix_own {
	const struct sd_fix_sources
		*sources;               /* borrowed; where functions and macros are looked for */
	const struct sd_fix_source *in; /* the file of the code */
	char shared[128]; /* the first word that is not the thread's own, or may not be */
	int calls;        /* it calls a function or has a loop: it may take time */
};

/* The tokens [from, to) of in->compiled, within the function whose "{" is at `function`. 1 or 0. */
int sd_fix_own_code(struct sd_fix_own *o, size_t function, size_t from, size_t to);

/* Does [from, to) leave its statement: return, goto, break, continue, a label? */
int sd_fix_own_leaves(const struct sd_c_tokens *t, size_t from, size_t to);

/* Does the statement that begins at a token declare a number? */
int sd_fix_own_declares(const struct sd_c_tokens *t, size_t from);

/* The arithmetic type that a function of that name returns, as it is written; 0, -ENOENT. */
int sd_fix_own_returns(
	const struct sd_fix_own *o, const char *name, size_t length, char *out, size_t size);

#endif
