/*
 * A profile of samples from `perf script`, as the run whose stacks they are.
 */
#ifndef SD_SCRIPT_PROFILE_H
#define SD_SCRIPT_PROFILE_H

#include "import/import.h"
#include "import/script_lines.h"
#include "resolve/wait_rules.h"

/* Events of a file beyond these are not told apart. */
#define SD_SCRIPT_PROFILE_EVENTS 16

/* Samples of one event. */
struct sd_script_event {
	char name[128];
	struct sd_run run;   /* its uses and threads, in the event's unit */
	unsigned *use_of;    /* owned; by node: use + 1 */
	size_t room;         /* of use_of */
	double samples, sum; /* sum of their periods */
	double kernel;       /* of it in the kernel */
	double deep;         /* samples with more than one frame */
	double first, last;  /* s */
	double longest;      /* the longest period */
	int periods;         /* every sample has one */
};

struct sd_script_profile {
	struct sd_script_event event[SD_SCRIPT_PROFILE_EVENTS];
	size_t n;
	double others; /* samples of more events */
	struct sd_wait_rules rules;
};

/* Loads the rules by which spinning is told from work. 0 or -errno after a message. */
int sd_script_profile_open(struct sd_script_profile *p, const struct sd_sink *sink);

/* Adds a sample; frames from the innermost. 0 or -ENOMEM. */
int sd_script_profile_add(struct sd_script_profile *p, struct sd_stacks *stacks,
	const struct sd_script_sample *s, const struct sd_script_frame *frame, size_t n);

/*
 * Makes the run of them, by the event that is a time (task-clock, cpu-clock), else by cycles: what
 * the others are goes to *unknown. 0; -EINVAL after a message; -ENOMEM.
 */
int sd_script_profile_run(struct sd_script_profile *p, const struct sd_import_text *t,
	unsigned cores, struct sd_run *out, struct sd_texts *unknown);

/* Samples of cycles become times when the CPU times of all runs are known. 0, or -EINVAL after a
 * message: they are not. */
int sd_script_profile_scale(struct sd_import *im, const struct sd_sink *sink);

void sd_script_profile_close(struct sd_script_profile *p); /* accepts the zeroed value */

#endif
