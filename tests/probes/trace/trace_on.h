/*
 * A trace of made-up perf records, and what it replays.
 */
#ifndef SD_TEST_TRACE_ON_H
#define SD_TEST_TRACE_ON_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

#include "trace/trace.h"
#include "trace/trace_state.h"
#include "support/fakering.h"

#define PID 100

static inline int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	fake.no_wide = 1;
	return 0;
}

static inline int nothing_is_left_open(void **state)
{
	(void)state;
	return fake.open || fake.rings || fake.locked;
}

/* On `n` CPUs beyond those that this machine has: 1000, 1001... */
#define FIRST 1000u

static inline int open_on(struct sd_capture **c, unsigned n, struct sd_trace_options o)
{
	struct sd_cpulist cpus = {0};
	int rc;

	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sd_cpulist_add(&cpus, FIRST + i), 0);
	o.pid = PID;
	o.cpus = &cpus;
	rc = sd_trace_open(c, &o);
	sd_cpulist_free(&cpus);
	return rc;
}

static inline struct sd_capture *opened(unsigned n)
{
	struct sd_capture *c;

	assert_int_equal(open_on(&c, n, (struct sd_trace_options){0}), 0);
	return c;
}

static inline struct sd_trace_facts facts_of(const struct sd_capture *c)
{
	struct sd_trace_facts f;

	sd_trace_facts(c, &f);
	return f;
}

#define SEEN 4096

struct seen {
	size_t n;
	struct sd_event event[SEEN];
	char name[SEEN][16];
	int fill[SEEN]; /* what all bytes of its stack are; -1 none */
	int stop_at;
};

static inline int note(void *ctx, const struct sd_event *e)
{
	struct seen *const s = ctx;

	assert_true(s->n < SEEN);
	s->event[s->n] = *e;
	snprintf(s->name[s->n], sizeof s->name[0], "%s", e->name ? e->name : "");
	s->fill[s->n] = e->stack_size ? e->stack[0] : -1;
	for (size_t i = 1; i < e->stack_size; i++)
		assert_int_equal(e->stack[i], e->stack[0]);
	s->n++;
	return s->stop_at && (int)s->n == s->stop_at ? 77 : 0;
}

static inline struct seen *replayed(struct sd_capture *c)
{
	static struct seen s;

	s.n = 0;
	s.stop_at = 0;
	assert_int_equal(sd_trace_replay(c, note, &s), 0);
	for (size_t i = 1; i < s.n; i++)
		assert_true(s.event[i].time >= s.event[i - 1].time);
	return &s;
}

static inline struct seen *stopped(struct sd_capture *c)
{
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	return replayed(c);
}

static inline void put_name(const char text[8], uint16_t misc)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_COMM, misc);

	fake_u32(r, PID);
	fake_u32(r, PID);
	fake_bytes(r, text, 8);
	fake_trailer(r, FIRST, PID, 31);
	fake_end(r, FIRST, 0);
}

static inline void put_map_marked(int with_id, uint16_t misc)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_MMAP2, misc);
	const unsigned char id[24] = {20, 0, 0, 0, 0xab, 0xcd};

	fake_u32(r, PID);
	fake_u32(r, PID);
	fake_u64(r, 0x7f0000001000);
	fake_u64(r, 0x2000);
	fake_u64(r, 0x3000);
	if (with_id) {
		fake_bytes(r, id, 24);
	} else {
		fake_u32(r, 8);
		fake_u32(r, 1);
		fake_u64(r, 4242);
		fake_u64(r, 0);
	}
	fake_u64(r, 0);
	fake_bytes(r, "/lib/a\0", 8);
	fake_trailer(r, FIRST, PID, 32);
	fake_end(r, FIRST, 0);
}

static inline void put_map(int with_id)
{
	put_map_marked(with_id, with_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, nothing_is_left_open)

#endif
