/*
 * Races in what Valgrind's Helgrind writes with --xml=yes. The bytes are not trusted: the program
 * under it can write to the same file.
 */
#ifndef SD_VALGRIND_RACES_H
#define SD_VALGRIND_RACES_H

#include "record/experiment_run.h"
#include "record/stacks.h"

/* Adds the races of one file. 0; -EINVAL: it is no output of Valgrind's; -ENOMEM. */
int sd_valgrind_races_add(
	const char *text, size_t size, struct sd_stacks *stacks, struct sd_experiment_run *out);

#endif
