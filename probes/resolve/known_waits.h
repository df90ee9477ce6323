/*
 * A thread's known waits, which have a stack, as patterns for those that have none.
 */
#ifndef SD_KNOWN_WAITS_H
#define SD_KNOWN_WAITS_H

#include <stdint.h>

#include "trace/timeline.h"

/*
 * If switches come too fast, some lack a stack (trace.h). Such a wait is assumed to be like the one
 * of nearest length among the thread's latest waits with a stack: waits recur, and between two
 * kinds of equal length the choice does not change the sums. The same holds for waits that an
 * ordinary user observes only now and then (SD_EVENT_SEEN).
 */
#define SD_KNOWN_WAITS 8
/* Stacks that are remembered. Where every wait says which stack it left from, it is taken to be
 * like the thread's latest wait with that one. */
#define SD_KNOWN_WAITS_STACKS 16

struct sd_known_wait {
	unsigned node, lock;
	enum sd_activity activity;
};

/* Zeroed: none. */
struct sd_known_waits {
	struct {
		uint64_t length; /* ns */
		struct sd_known_wait what;
	} wait[SD_KNOWN_WAITS]; /* the latest */
	unsigned n;
	struct {
		uint32_t id;
		struct sd_known_wait what;
	} stack[SD_KNOWN_WAITS_STACKS];
	unsigned n_stack;
};

/* A wait of this length that has a stack. */
void sd_known_waits_add(struct sd_known_waits *k, const struct sd_moment *m, uint64_t length);

/* Remembers this wait for every later one with this stack; stack 0, an unknown one: nothing. */
void sd_known_waits_learn(struct sd_known_waits *k, uint32_t stack, const struct sd_moment *m);

/* Make it like the latest one, like that of nearest length, or like that with this stack: 1, or 0
 * there is none. */
int sd_known_waits_like_last(const struct sd_known_waits *k, struct sd_moment *m);
int sd_known_waits_like_length(
	const struct sd_known_waits *k, struct sd_moment *m, uint64_t length);
int sd_known_waits_like_stack(const struct sd_known_waits *k, struct sd_moment *m, uint32_t stack);

#endif
