/*
 * The processes of a tree in which CPython may run.
 */
#ifndef SD_PYTHON_PROCESSES_H
#define SD_PYTHON_PROCESSES_H

#include "python/python_program.h"

#define SD_PYTHON_PROCESSES 64 /* later ones are not looked at */

struct sd_python_process {
	int pid, found;         /* found: `program` is known */
	uint64_t device, inode; /* of what it runs; inode 0: not looked at */
	unsigned tries;         /* to find it */
	uint64_t next;          /* ns, time of the next try */
	struct sd_python_program program;
};

/* Zeroed has none. */
struct sd_python_processes {
	const char *root; /* borrowed; prefix of /proc */
	struct sd_python_layouts layouts;
	struct sd_python_process process[SD_PYTHON_PROCESSES];
	size_t n;
	uint64_t listed; /* ns: when children were last searched for */
};

/* Adds one, unless it is there. A child begins as what its parent is, at the same addresses; NULL:
 * nothing is known of it. */
void sd_python_processes_add(
	struct sd_python_processes *l, int pid, const struct sd_python_process *parent);

/* Adds the children of all, and forgets those that ended, if it is time for it; `lasts`: ns since
 * the first look. */
void sd_python_processes_list(struct sd_python_processes *l, uint64_t now, uint64_t lasts);

/* Whether CPython runs in one, as far as is known: it may be a library that is loaded later, and a
 * process may run another program later. */
int sd_python_processes_is_found(
	struct sd_python_processes *l, struct sd_python_process *p, uint64_t now);

#endif
