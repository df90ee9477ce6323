/*
 * Rules that tell from a thread's stack what it does or waits for: those of configs/waits.
 */
#ifndef SD_WAIT_RULES_H
#define SD_WAIT_RULES_H

#include "record/sampled.h"
#include "base/sink.h"

#define SD_WAIT_RULES_NEAR 6    /* frames of the program's side that are searched */
#define SD_WAIT_RULES_MOST 2048 /* rules of all files */

struct sd_waitrule {
	char *function, *module, *caller; /* owned; patterns (fnmatch); NULL: any */
	int kernel, first, weak, switches, interprets;
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

void sd_wait_rules_free(struct sd_wait_rules *r); /* accepts the zeroed value */

#endif
