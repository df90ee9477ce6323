/*
 * What a thread does or waits for, by its stack: the rules of configs/waits.
 *
 * A stack is searched from its innermost frame outward, the kernel's frames first, and the first
 * frame that a rule matches decides. Rules with `first` are tried on all frames before the others,
 * `weak` ones after them. On the user's side only the inner SD_WAIT_RULES_NEAR frames are looked at
 * (further out is the program, not what it waits in), and a rule's caller within as many more. A
 * thread is looked at no further than the module it is in, and the one that called the C library:
 * code that a runtime calls is not the runtime.
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
	int within;                        /* frames in which the caller is looked for */
	enum sd_activity blocked, running; /* SD_ACTIVITY_COUNT: not told */
};

/* Zeroed is empty: nothing matches. */
struct sd_wait_rules {
	struct sd_waitrule *rule; /* owned; in the order of files and lines */
	size_t n;
};

/* Adds the rules of a file's text; `name` stands in messages. 0; -EINVAL with one message said
 * ("name:line: …"); -ENOMEM. Nothing is added on failure. */
int sd_wait_rules_parse(struct sd_wait_rules *r, const char *name, const char *text, size_t size,
	const struct sd_sink *sink);

/* All files of configs/waits, from `dir` as in configs.h. 0 or -errno, said; *r empty then. */
int sd_wait_rules_load(struct sd_wait_rules *r, const char *dir, const struct sd_sink *sink);

/*
 * What a thread at this stack waits for (`blocked`) or does. Without a matching rule: a blocked
 * thread's reason is unknown, a running one's kernel time kernel-other, its user time useful.
 */
enum sd_activity sd_wait_rules_match(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node, int blocked);

/* Whether the frame of this node is where a runtime's scheduler, on a stack of its own, was entered
 * from a task: further in is the scheduler, further out the task that it left. */
int sd_wait_rules_switches(const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node);

void sd_wait_rules_free(struct sd_wait_rules *r); /* accepts the zeroed value */

#endif
