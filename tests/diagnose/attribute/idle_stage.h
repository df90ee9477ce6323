/*
 * Threads on a stage: what they ran, and in which state they were met.
 */
#ifndef SD_TEST_IDLE_STAGE_H
#define SD_TEST_IDLE_STAGE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attribute/idle_account.h"
#include "support/fakeproc.h"
#include "threads/process_tree.h"

#define KEEPER 100
#define MS 1000000ll
#define BARRIER "202 0x2004 0x80 0x10 0x0 0x0 0x0 0x7ffc 0x7f12"

/* x86-64 has 202 for futex; elsewhere the numbers differ and the lines above would lie. */
#if defined(__x86_64__)
#define HAVE_FUTEX_202 1
#else
#define HAVE_FUTEX_202 0
#endif

struct stage {
	char root[64];
	struct sd_process_tree tree;
	struct sd_idle_account division;
	uint64_t now;
};

static inline int open_stage(void **state)
{
	struct stage *s = calloc(1, sizeof *s);

	if (!s)
		return -1;
	fake_make(s->root);
	fake_thread(s->root, &(struct fake_thread){.pid = KEEPER, .tid = KEEPER, .state = 'S'});
	fake_children(s->root, KEEPER, KEEPER, "200 ");
	s->division.cores = 2;
	s->now = 1000000000;
	sd_process_tree_init(&s->tree, s->root, KEEPER, 10);
	*state = s;
	return 0;
}

static inline int close_stage(void **state)
{
	struct stage *s = *state;

	sd_process_tree_free(&s->tree);
	sd_idle_account_free(&s->division);
	fake_remove(s->root);
	free(s);
	return 0;
}

/* Sets what the thread of this number does now; times in ms. */
static inline void play(struct stage *s, int tid, char st, const char *syscall, double run,
	double delay, long long slices)
{
	fake_thread(s->root, &(struct fake_thread){.pid = 200,
				     .tid = tid,
				     .ppid = KEEPER,
				     .state = st,
				     .syscall = syscall,
				     .run_ns = (long long)(run * MS),
				     .delay_ns = (long long)(delay * MS),
				     .slices = slices});
}

/* Lets 10 ms go by, and books them. */
static inline void step(struct stage *s)
{
	s->now += 10 * MS;
	assert_int_equal(sd_process_tree_walk(&s->tree), 0);
	sd_process_tree_read(&s->tree, s->now);
	assert_int_equal(sd_process_tree_view(&s->tree), 0);
	assert_int_equal(sd_idle_account_add(&s->division, &s->tree.views), 0);
}

static inline void begin(struct stage *s)
{
	assert_int_equal(sd_process_tree_walk(&s->tree), 0);
	sd_process_tree_read(&s->tree, s->now);
}

/* Compares all classes, in ms of core time. */
static inline void expect(const struct stage *s, enum sd_idle a, double x, enum sd_idle b, double y)
{
	double idle[SD_IDLE_COUNT];

	sd_idle_account_total(&s->division, idle);
	for (int i = 0; i < SD_IDLE_COUNT; i++) {
		const double want = (i == (int)a ? x : 0) + (i == (int)b && a != b ? y : 0);

		if (fabs(idle[i] * 1e3 - want) > 1e-6)
			fail_msg("%s is %g ms, not %g", sd_idle_name[i], idle[i] * 1e3, want);
	}
}

#endif
