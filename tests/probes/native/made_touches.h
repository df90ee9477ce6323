/*
 * Touches of lines as samples would tell them, and how many were judged which way.
 */
#ifndef SD_TEST_MADE_TOUCHES_H
#define SD_TEST_MADE_TOUCHES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "native/line_turns.h"

#define MS UINT64_C(1000000)
#define WINDOW (10 * MS)
#define LINE 0x7000

/* One access of `bytes` at an address, by a sample of its own. */
static inline void touch(struct sd_sample_touches *t, uint64_t time, uint32_t thread,
	uint64_t address, uint32_t bytes, int writes)
{
	const struct sd_touch_sample s = {.time = time, .thread = thread, .seconds = .0025f};
	const struct sd_touch like = {.sure = 1};

	assert_true(sd_sample_touches_begin(t, &s) >= 0);
	assert_int_equal(sd_sample_touches_add(t, 1, address, bytes, 1, writes, &like), 0);
}

struct counts {
	unsigned alone, read, unsure, pair, met, same;
};

static inline struct counts judged(struct sd_sample_touches *t)
{
	struct counts c = {0};

	assert_true(sd_line_turns_find(t, WINDOW) >= 0);
	for (size_t i = 0; i < t->n; i++) {
		c.alone += t->touch[i].met == SD_TOUCH_ALONE;
		c.read += t->touch[i].met == SD_TOUCH_READ;
		c.unsure += t->touch[i].met == SD_TOUCH_UNSURE;
		c.pair += t->touch[i].met == SD_TOUCH_PAIR;
		c.met += t->touch[i].met == SD_TOUCH_MET;
		c.same += t->touch[i].met == SD_TOUCH_MET && t->touch[i].same;
	}
	sd_sample_touches_free(t);
	return c;
}

/* Both every 2.5 ms, as the clock of their CPUs ticks; each 8 bytes at its own offset. */
static inline struct counts side_by_side(
	uint64_t first, uint64_t second, int first_writes, int writes)
{
	struct sd_sample_touches t = {0};

	for (uint64_t i = 0; i < 100; i++) {
		touch(&t, i * 5 * MS / 2, 0, first, 8, first_writes);
		touch(&t, i * 5 * MS / 2 + 1000, 1, second, 8, writes);
	}
	return judged(&t);
}

#endif
