/*
 * Which processes of the tree are stages of a pipeline: what one writes to its standard output,
 * another reads from its standard input.
 */
#ifndef SD_PIPE_STAGES_H
#define SD_PIPE_STAGES_H

#include <stddef.h>
#include <stdint.h>

#define SD_PIPE_STAGES_MOST 1024 /* processes; later ones are none */

/* Zeroed is empty. */
struct sd_pipe_stages {
	struct sd_pipe_ends {
		int pid;
		uint64_t in, out; /* the pipes' numbers; 0: it is none */
	} * process;              /* owned */
	size_t n;
};

/* Looks at the process, again when it was seen: a shell connects it before the exec. `root` as of
 * /proc elsewhere. 0 or -ENOMEM. */
int sd_pipe_stages_look(struct sd_pipe_stages *p, const char *root, int pid);

/* From 1 on, and of how many; both 0: it is no stage. */
void sd_pipe_stages_place(
	const struct sd_pipe_stages *p, int pid, unsigned *stage, unsigned *stages);

void sd_pipe_stages_free(struct sd_pipe_stages *p); /* accepts the zeroed value */

#endif
