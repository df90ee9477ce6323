/*
 * Sections of a source that a lock guards: what takes the lock, what gives it back, and what is
 * done in between.
 */
#ifndef SD_FIX_SECTION_H
#define SD_FIX_SECTION_H

#include "fix/fix_case.h"

/* In tokens: the statements from `first` up to `leave`, which gives the lock back. */
struct sd_fix_section {
	const struct sd_fix_lock *lock; /* NULL: `critical` of OpenMP */
	size_t enter, enter_end;        /* the first token of what takes it, the last one */
	size_t word;                    /* that names who takes it; of `critical` its directive */
	size_t first, leave, leave_end;
	int ends_block; /* an object has the lock, up to the "}" at `leave` */
	char name[96];  /* of the lock */
	char guard[64]; /* the object; "" none */
};

/* The section that is entered by the statement which begins at token i. 1; 0: none that is seen
 * whole in one block. */
int sd_fix_section_at(const struct sd_fix_case *c, const struct sd_c_tokens *t, size_t i,
	struct sd_fix_section *out);

#endif
