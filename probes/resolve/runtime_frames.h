/*
 * Frames that a runtime keeps by itself, where no unwinding leads: of a Go program's goroutines
 * that wait, of the functions that CPython interprets, and lines at which Java threads wait. They
 * are read while the program runs, and added to the stacks of samples and waits.
 */
#ifndef SD_RUNTIME_FRAMES_H
#define SD_RUNTIME_FRAMES_H

#include "python/python_frames.h"
#include "resolve/goroutines.h"
#include "resolve/jvm_monitors.h"
#include "resolve/stack_resolve.h"

/* Zeroed has looked at nothing yet. */
struct sd_runtime_frames {
	struct sd_goroutines goroutines;
	struct sd_python_frames python;
	struct sd_jvm_monitors monitors; /* of machines that jvm_names.h asks */
};

/* Prepares for the next run, of process `pid` or those of `running`. */
void sd_runtime_frames_again(
	struct sd_runtime_frames *f, const char *root, int pid, const struct sd_running *running);

/* Looks at what runs, if it is time for it. Returns when it next is. Best effort. */
uint64_t sd_runtime_frames_look(struct sd_runtime_frames *f, uint64_t now);

/* The stack `node` of an event with the frames that belong to it; p->runtimes may be NULL. */
unsigned sd_runtime_frames_join(
	struct sd_stack_resolve *p, const struct sd_event *e, unsigned node);

void sd_runtime_frames_free(struct sd_runtime_frames *f); /* accepts the zeroed value, leaves it */

#endif
