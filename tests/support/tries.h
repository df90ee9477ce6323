/*
 * Tries of a relation between times, judged by a witness that is not the program under test
 * (witness.h). It holds when the first try has it, or TRIES_HOLD of TRIES_MOST tries that nobody
 * disturbed; it is broken when more than TRIES_MOST - TRIES_HOLD of these are without it, and not
 * asked here when as many tries as TRIES_MOST were disturbed. Every further try is told, with its
 * reason, and tests/run adds them up. Include after cmocka.h.
 *
 *	struct tries t = {.test = __func__};
 *	while (tries_next(&t))
 *		tries_tell(&t, holds() ? NULL : "what was seen");
 */
#ifndef SD_TESTS_TRIES_H
#define SD_TESTS_TRIES_H

#include "support/witness.h"

#define TRIES_MOST 3
#define TRIES_HOLD 2
#define TRIES_SPARED 2 /* tries that were disturbed */

struct tries {
	const char *test;
	int held, broken, disturbed;
	char why[96]; /* of the last one that was disturbed */
	struct witness witness;
};

enum tries_state { TRIES_MORE, TRIES_HELD, TRIES_BROKEN, TRIES_DISTURBED };

static inline enum tries_state tries_state(const struct tries *t)
{
	if (t->broken > TRIES_MOST - TRIES_HOLD)
		return TRIES_BROKEN;
	if (t->held >= TRIES_HOLD || (t->held && !t->broken))
		return TRIES_HELD;
	return t->disturbed >= TRIES_SPARED ? TRIES_DISTURBED : TRIES_MORE;
}

/* Counts a try. `seen`: NULL, it held; else what was there instead. `why`: what disturbed one that
 * did not hold; NULL: nothing. */
static inline void tries_count(struct tries *t, const char *seen, const char *why)
{
	t->held += !seen;
	t->disturbed += seen && why;
	t->broken += seen && !why;
	if (seen && why)
		snprintf(t->why, sizeof t->why, "%s", why);
}

/* Is there a try to be made? Skips the test when too many were disturbed. */
static inline int tries_next(struct tries *t)
{
	const enum tries_state state = tries_state(t);

	if (state == TRIES_DISTURBED) {
		fprintf(stderr, "SKIP: %s: %s\n", t->test, t->why);
		skip();
	}
	if (state == TRIES_MORE) {
		witness_start(&t->witness);
		witness_watch(&t->witness);
	}
	return state == TRIES_MORE;
}

/* How it went, as tries_count() has it. Fails the test when the relation is broken. */
static inline void tries_tell(struct tries *t, const char *seen)
{
	const char *why = NULL;

	if (seen)
		why = witness_disturbed(&t->witness);
	else
		witness_unwatch(&t->witness);
	tries_count(t, seen, why);
	if (!seen)
		return;
	if (tries_state(t) == TRIES_BROKEN)
		fail_msg("%s, in %d of %d tries that nobody disturbed", seen, t->broken,
			t->broken + t->held);
	fprintf(stderr, "RETRY: %s: %s\n# %s\n", t->test, why ? why : "it did not hold at once",
		seen);
}

#endif
