/*
 * The functions of a record's stacks as profile viewers list them: readable names, files from the
 * program's working folder, each function once however many of its lines were met.
 */
#ifndef SD_VIEWER_FUNCTIONS_H
#define SD_VIEWER_FUNCTIONS_H

#include "analysis/stack_profile.h"
#include "analysis/thread_lanes.h"
#include "record/record.h"

struct sd_viewer_function {
	char *name;   /* owned; clean, "a::f<…>()", "[module+0x1340]", "[unknown]" */
	char *file;   /* owned; clean; NULL unknown */
	char *module; /* owned; clean; path of the program or library; "" unknown */
	int kernel;
};

/* Zeroed is empty. */
struct sd_viewer_functions {
	const struct sd_stacks *stacks; /* borrowed */
	const char *folder;             /* borrowed; of the program; NULL unknown */
	unsigned char *used;            /* owned; of each node: it or a callee is to be shown */
	unsigned *of;                   /* owned; of each frame its function; of used ones alone */
	struct sd_viewer_function *function; /* owned */
	size_t n;
};

/* 0 or -ENOMEM; *v is to be freed in every case. */
int sd_viewer_functions_begin(struct sd_viewer_functions *v, const struct sd_record *r);

/* All stacks of these; each may be NULL. */
void sd_viewer_functions_use_all(struct sd_viewer_functions *v, const struct sd_stack_profile *p,
	const struct sd_thread_lanes *lanes);

/* All stacks are known: the functions get their numbers. 0 or -ENOMEM. */
int sd_viewer_functions_end(struct sd_viewer_functions *v);

/* The nodes of a stack, outermost first, into path[SD_STACKS_DEPTH]; how many. */
size_t sd_viewer_functions_path(
	const struct sd_viewer_functions *v, unsigned node, unsigned path[SD_STACKS_DEPTH]);

void sd_viewer_functions_free(struct sd_viewer_functions *v);

#endif
