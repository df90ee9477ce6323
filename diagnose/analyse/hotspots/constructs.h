/*
 * The constructs that make the program parallel, by the sampled stacks: advice and experiments for
 * what it does not have help nobody.
 */
#ifndef SD_CONSTRUCTS_H
#define SD_CONSTRUCTS_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"

/* Finds them in the record's stacks and the threads that worked at the largest point. */
struct sd_constructs sd_constructs_find(
	const struct sd_record *record, const struct sd_run_selection *choice);

/* Is it the file of an OpenMP runtime? */
int sd_constructs_is_openmp(const char *module);

#endif
