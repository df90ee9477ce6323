/*
 * What a thread does or waits for, by its stack: the rules of configs/waits.
 *
 * A stack is searched from the innermost frame outward, kernel frames first; the first frame that a
 * rule matches decides. Rules with `first` are tried on all frames before the others, `weak` rules
 * after them. Only the innermost SD_WAIT_RULES_NEAR user frames are searched (beyond them is the
 * program, not what it waits in), and as many more for a rule's caller. The search ends at the
 * module the thread is in and the one that called the C library: code called by a runtime is not
 * the runtime.
 */
#ifndef SD_WAIT_RULES_H
#define SD_WAIT_RULES_H

#include "record/sampled.h"
#include "base/sink.h"
#include "record/stacks.h"

#define SD_WAIT_RULES_NEAR 6
#define SD_WAIT_RULES_MOST 2048 /* rules of all files */

struct sd_waitrule {
	char *function, *module, *caller; /* owned; patterns (fnmatch); NULL: any */
	int kernel, first, weak, switches;
	int within;                        /* frames searched for the caller */
	enum sd_activity blocked, running; /* SD_ACTIVITY_COUNT: unspecified */
};

/* Zeroed is empty: nothing matches. */
struct sd_wait_rules {
	struct sd_waitrule *rule; /* owned; in order of files and lines */
	size_t n;
};

/* Adds the rules of a file's text; `name` is for messages. 0; -EINVAL with one message said
 * ("name:line: …"); -ENOMEM. Adds nothing on failure. */
int sd_wait_rules_parse(struct sd_wait_rules *r, const char *name, const char *text, size_t size,
	const struct sd_sink *sink);

/* Loads all files of configs/waits, from `dir` as in configs.h. 0, or -errno with one message said
 * and *r empty. */
int sd_wait_rules_load(struct sd_wait_rules *r, const char *dir, const struct sd_sink *sink);

/*
 * What a thread at this stack waits for (`blocked`) or does. Without a matching rule a blocked
 * thread's reason is unknown, kernel time is kernel-other, user time is useful.
 */
enum sd_activity sd_wait_rules_match(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node, int blocked);

/* Is this node's frame where a task entered a runtime's scheduler, which runs on its own stack?
 * Inside it is the scheduler, outside the task it left. */
int sd_wait_rules_switches(const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node);

void sd_wait_rules_free(struct sd_wait_rules *r); /* accepts the zeroed value */

#endif
