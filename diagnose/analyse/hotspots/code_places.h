/*
 * What the stacks of a record stand for: functions, and for every stack the spot in the program's
 * own code that it belongs to.
 */
#ifndef SD_CODE_PLACES_H
#define SD_CODE_PLACES_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "record/stacks.h"

/* Is a module or a source file of the system, not of the program? */
int sd_code_places_of_system(const char *path);

/* A function, by its texts in the record; number 0 is the unknown one: no stack. */
struct sd_function {
	unsigned name, file, module;
	uint64_t offset; /* without a name: of its code in the file that is the module */
	int own;         /* of the program's own code, not of the system's */
};

/*
 * A line of the program's own code, and the function of the system in which its time went. The
 * innermost frame of a module or source file that is not of the system; of a module where some code
 * has lines and the innermost frame has none, as libraries linked in statically, the innermost one
 * with a line. A stack without such a frame belongs to its innermost frame.
 */
struct sd_spot {
	unsigned function, frame; /* frame: of the stacks; where its line is */
	unsigned in;              /* function that it called; 0 none */
	unsigned from;            /* function of the program's own code that called it; 0 none */
	int allocates;            /* malloc and its like are on the way */
	int locks;                /* functions that take or release locks are */
	int tasks; /* it is in what makes tasks and hands them out, not in a task's own code */
};

struct sd_code_places {
	const struct sd_stacks *stacks; /* borrowed */
	struct sd_function *function;   /* owned */
	size_t n_function;
	unsigned *of_frame;   /* owned; function of each frame */
	unsigned *spot_of;    /* owned; spot of each node */
	struct sd_spot *spot; /* owned; [0]: no stack */
	size_t n_spot;
};

/* 0 or -ENOMEM; *out is to be freed in every case. Numbers out of range in the stacks are read as
 * no stack. */
int sd_code_places_make(struct sd_code_places *out, const struct sd_stacks *stacks);
void sd_code_places_free(struct sd_code_places *p); /* accepts the zeroed value */

/* Function of the innermost frame of a node; 0: none. */
unsigned sd_code_places_leaf(const struct sd_code_places *p, unsigned node);

/* The spot of a node that may be out of range. */
unsigned sd_code_places_spot(const struct sd_code_places *p, unsigned node);

/* Fills the names of a place with copies; line and share stay. 0 or -ENOMEM. */
int sd_code_places_name(const struct sd_code_places *p, unsigned function, unsigned in,
	unsigned from, struct sd_where *out);

#endif
