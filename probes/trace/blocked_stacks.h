/*
 * Stacks of waiting threads where the kernel gives an ordinary user none with a context switch:
 * threads that left their CPU are inspected while they wait, by /proc/TID/syscall and a copy of
 * their stack.
 *
 * Each wait is inspected once, so an idle thread costs nothing after that. The system call's
 * registers are read before and after copying the stack: the same call at the same stack pointer is
 * the same wait, or another one from the same place.
 */
#ifndef SD_BLOCKED_STACKS_H
#define SD_BLOCKED_STACKS_H

#include "trace/trace.h"

struct sd_blocked_stacks_thread;

/* Zeroed is closed: it ignores events and finds nothing. */
struct sd_blocked_stacks {
	struct sd_blocked_stacks_thread *thread; /* owned; by the low bits of the tid */
	size_t at;                               /* where the next search starts */
	unsigned waiting;                        /* threads to inspect */
	unsigned char *stack;                    /* owned */
	char kernel[64];                         /* the function it sleeps in */
};

int sd_blocked_stacks_open(struct sd_blocked_stacks *g); /* 0 or -ENOMEM */

/* Must see all switches and exits, in any order. */
void sd_blocked_stacks_event(struct sd_blocked_stacks *g, const struct sd_event *e);

/* Inspects the next waiting thread: 0 and an SD_EVENT_SEEN, whose pointers are valid until the next
 * call; -ENOENT: none. */
int sd_blocked_stacks_next(struct sd_blocked_stacks *g, struct sd_event *out);

/* Inspects a thread that waits: 0 and an SD_EVENT_SEEN as above; -ENOENT: it does not wait, or may
 * not be looked at. */
int sd_blocked_stacks_look(struct sd_blocked_stacks *g, int pid, int tid, struct sd_event *out);

void sd_blocked_stacks_close(struct sd_blocked_stacks *g); /* accepts the zeroed value, leaves it */

#endif
