/*
 * The activity of a thread, or what it waits for: its stack held against the rules (wait_rules.h).
 *
 * A stack is searched from the innermost frame outward, kernel frames first; the first frame that a
 * rule matches decides. Rules with `first` are tried on all frames before the others, `weak` rules
 * after them. Only the innermost SD_WAIT_RULES_NEAR frames besides those of the C library and its
 * like are searched (beyond them is the program, not what it waits in), and as many more for a
 * rule's caller. The search ends at the module the thread is in and the one that called the C
 * library: code called by a runtime is not the runtime.
 */
#ifndef SD_WAIT_MATCH_H
#define SD_WAIT_MATCH_H

#include "record/stacks.h"
#include "resolve/wait_rules.h"

/*
 * The reason why a thread at this stack waits (`blocked`), or its activity. Without a matching rule
 * a blocked thread's reason is unknown, kernel time is kernel-other, user time is useful.
 */
enum sd_activity sd_wait_match_activity(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node, int blocked);

/* A node's frame in a runtime that has tasks or functions of its own. */
enum sd_wait_match_enters {
	SD_WAIT_MATCH_NOTHING,
	SD_WAIT_MATCH_SCHEDULER, /* where a task entered the scheduler, which runs on its own stack:
				    inside it is the scheduler, outside the task it left */
	SD_WAIT_MATCH_INTERPRETER, /* what runs functions that are not on the stack */
};
enum sd_wait_match_enters sd_wait_match_enters_at(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node);

#endif
