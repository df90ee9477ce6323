/*
 * Where the kernel gives an ordinary user no stack with a context switch: threads that left their
 * CPU are looked at while they still wait, by /proc/TID/syscall and a copy of their stack.
 *
 * A wait is looked at once, so that an idle thread costs nothing after its first look. A look takes
 * the call's registers before and after the stack is copied: the same call at the same stack
 * pointer is the same wait, or the next one from the same place.
 */
#ifndef SD_BLOCKED_STACKS_H
#define SD_BLOCKED_STACKS_H

#include "trace/trace.h"

struct sd_blocked_stacks_thread;

/* Zeroed is closed: events are nothing to it, and there is nothing to see. */
struct sd_blocked_stacks {
	struct sd_blocked_stacks_thread *thread; /* owned; by the low bits of the thread's number */
	size_t at;                               /* where the next look begins */
	unsigned waiting;                        /* that are to be looked at */
	unsigned char *stack;                    /* owned */
	char kernel[64];                         /* the function it sleeps in */
};

int sd_blocked_stacks_open(struct sd_blocked_stacks *g); /* 0 or -ENOMEM */

/* To be told of all switches and exits, in any order. */
void sd_blocked_stacks_event(struct sd_blocked_stacks *g, const struct sd_event *e);

/* Looks at the next thread that waits: 0 and an SD_EVENT_SEEN, whose pointers hold until the next
 * call; -ENOENT: there is none. */
int sd_blocked_stacks_next(struct sd_blocked_stacks *g, struct sd_event *out);

void sd_blocked_stacks_close(struct sd_blocked_stacks *g); /* accepts the zeroed value, leaves it */

#endif
