/* From the events of a capture to moments: what gaps drop, what stands for waits without a stack,
 * and what a thread still does after its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include "base/configs.h"
#include "resolve/timeline_build.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

#define MS UINT64_C(1000000)
#define PID 100

struct scene {
	struct sd_symbols *symbols;
	struct sd_stacks stacks;
	struct sd_stack_resolve placing;
	struct sd_timeline timeline;
	struct sd_timeline_build happened;
};

static struct scene *begin(void)
{
	static struct scene s;

	s = (struct scene){.timeline = {.first = PID}};
	s.happened = (struct sd_timeline_build){
		.placing = &s.placing, .timeline = &s.timeline, .first = PID};
	assert_int_equal(sd_symbols_open(&s.symbols, "/nonexistent"), 0);
	assert_int_equal(
		sd_stack_resolve_open(&s.placing, s.symbols, &s.stacks, sd_configs_dir(), NULL), 0);
	return &s;
}

static void done(struct scene *s)
{
	sd_timeline_build_free(&s->happened);
	sd_timeline_free(&s->timeline);
	sd_stack_resolve_close(&s->placing);
	sd_stacks_free(&s->stacks);
	sd_symbols_close(s->symbols);
}

/* `at`: an address it was at, 0 unknown. */
static void happens(struct scene *s, double ms, enum sd_event_kind kind, int tid, uint64_t at)
{
	const struct sd_event e = {
		.kind = kind, .pid = PID, .tid = tid, .time = (uint64_t)(ms * MS), .ip = at};

	assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
}

/* A wait of the first thread that ends `length` later. */
static const struct sd_moment *waits(struct scene *s, double ms, double length, uint64_t at)
{
	const size_t n = s->timeline.n;

	happens(s, ms, SD_EVENT_SWITCH_OUT, PID, at);
	happens(s, ms + length, SD_EVENT_SWITCH_IN, PID, 0);
	assert_int_equal(s->timeline.n, n + 2);
	return &s->timeline.moment[n];
}

static void turns_in_a_gap_are_dropped_and_samples_are_not(void **state)
{
	struct scene *const s = begin();

	(void)state;
	happens(s, 1, SD_EVENT_SWITCH_IN, PID, 0);
	happens(s, 10, SD_EVENT_SHUT, 0, 0);
	happens(s, 11, SD_EVENT_SWITCH_OUT, PID, 0x1000);
	happens(s, 12, SD_EVENT_WAKE, PID, 0);
	happens(s, 13, SD_EVENT_SWITCH_IN, PID, 0);
	assert_int_equal(s->timeline.n, 1);
	happens(s, 14, SD_EVENT_SAMPLE, PID, 0x1000);
	assert_int_equal(s->timeline.n, 2);
	assert_int_equal(s->timeline.moment[1].kind, SD_MOMENT_SAMPLE);
	happens(s, 20, SD_EVENT_OPEN, 0, 0);
	assert_int_equal(s->timeline.n, 2);
	happens(s, 21, SD_EVENT_SWITCH_OUT, PID, 0x1000);
	assert_int_equal(s->timeline.n, 3);
	assert_int_equal(s->timeline.n_gap, 1);
	assert_int_equal(s->timeline.gap[0].from, 10 * MS);
	assert_int_equal(s->timeline.gap[0].to, 20 * MS);
	done(s);
}

static void a_wait_without_a_stack_is_taken_for_the_one_of_nearest_length(void **state)
{
	struct scene *const s = begin();
	unsigned small, large;

	(void)state;
	happens(s, 0, SD_EVENT_SWITCH_IN, PID, 0);
	small = waits(s, 1, 1, 0x1000)->node;
	large = waits(s, 10, 10, 0x2000)->node;
	assert_true(small && large && small != large);
	assert_int_equal(waits(s, 30, 1.5, 0)->node, small);
	assert_int_equal(waits(s, 40, 8, 0)->node, large);
	/* nothing it ever did took so long */
	assert_int_equal(waits(s, 50, 2000, 0)->node, 0);
	assert_int_equal(s->happened.waits, 5);
	assert_int_equal(s->happened.bare, 3);
	done(s);
}

/* A wait of 1 ms that says its stack, seen if `shown`: its node; 0: it has none. */
static unsigned waits_at(struct scene *s, double ms, uint32_t stack, uint64_t shown)
{
	const size_t n = s->timeline.n;
	struct sd_event e = {.kind = SD_EVENT_SWITCH_OUT,
		.pid = PID,
		.tid = PID,
		.time = (uint64_t)(ms * MS),
		.stack_id = stack};

	assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
	e = (struct sd_event){.kind = SD_EVENT_SEEN,
		.pid = PID,
		.tid = PID,
		.time = e.time + MS / 10,
		.ip = shown,
		.name = ""};
	if (shown)
		assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
	happens(s, ms + 1, SD_EVENT_SWITCH_IN, PID, 0);
	return s->timeline.moment[n].node;
}

static void a_wait_that_says_its_stack_is_taken_for_the_latest_with_that_one(void **state)
{
	struct scene *const s = begin();
	unsigned one, other;

	(void)state;
	happens(s, 0, SD_EVENT_SWITCH_IN, PID, 0);
	one = waits_at(s, 1, 11, 0x1000);
	other = waits_at(s, 3, 12, 0x2000);
	assert_true(one && other && one != other);
	assert_int_equal(waits_at(s, 5, 11, 0), one);
	assert_int_equal(waits_at(s, 7, 12, 0), other);
	assert_int_equal(s->happened.bare, 0);
	/* never shown: by its length, and counted */
	assert_int_not_equal(waits_at(s, 9, 13, 0), 0);
	assert_int_equal(s->happened.bare, 1);
	/* shown again, it is another */
	assert_int_equal(waits_at(s, 11, 11, 0x2000), other);
	assert_int_equal(waits_at(s, 13, 11, 0), other);
	/* as many as are remembered, and the oldest is not */
	for (uint32_t id = 100; id < 116; id++)
		(void)waits_at(s, id, id, 0x1000);
	assert_int_equal(waits_at(s, 130, 100, 0), one);
	assert_int_equal(s->happened.bare, 1);
	(void)waits_at(s, 140, 12, 0);
	assert_int_equal(s->happened.bare, 2);
	done(s);
}

static void waits_before_the_first_known_one_are_taken_for_later_ones(void **state)
{
	struct scene *const s = begin();
	unsigned known;

	(void)state;
	happens(s, 0, SD_EVENT_SWITCH_IN, PID, 0);
	assert_int_equal(waits(s, 1, 1, 0)->node, 0);
	known = waits(s, 5, 1, 0x1000)->node;
	sd_timeline_build_end(&s->happened);
	assert_int_equal(s->timeline.moment[1].node, known);
	done(s);
}

/* How long it waited, and whether once, is not known: as the last one before. */
static void a_wait_that_a_gap_ends_in_has_no_length(void **state)
{
	struct scene *const s = begin();
	unsigned large;
	size_t n;

	(void)state;
	happens(s, 0, SD_EVENT_SWITCH_IN, PID, 0);
	waits(s, 1, 1, 0x1000);
	large = waits(s, 10, 10, 0x2000)->node;
	n = s->timeline.n;
	happens(s, 30, SD_EVENT_SWITCH_OUT, PID, 0);
	happens(s, 30.5, SD_EVENT_SHUT, 0, 0);
	happens(s, 31, SD_EVENT_OPEN, 0, 0);
	happens(s, 31.5, SD_EVENT_SWITCH_IN, PID, 0);
	assert_int_equal(s->timeline.moment[n].node, large);
	done(s);
}

static void a_thread_that_has_ended_waits_no_more(void **state)
{
	struct scene *const s = begin();

	(void)state;
	happens(s, 0, SD_EVENT_SWITCH_IN, PID + 1, 0);
	happens(s, 5, SD_EVENT_EXIT, PID + 1, 0);
	happens(s, 5.1, SD_EVENT_SWITCH_OUT, PID + 1, 0);
	happens(s, 5.2, SD_EVENT_SWITCH_IN, PID + 1, 0);
	happens(s, 5.2, SD_EVENT_EXIT, PID + 1, 0);
	assert_int_equal(s->timeline.n, 2);
	/* it ran in the rest of its exit, and is over again */
	happens(s, 5.3, SD_EVENT_SAMPLE, PID + 1, 0x1000);
	assert_int_equal(s->timeline.n, 4);
	assert_int_equal(s->timeline.moment[2].kind, SD_MOMENT_SAMPLE);
	assert_int_equal(s->timeline.moment[3].kind, SD_MOMENT_EXIT);
	done(s);
}

/* A wait without a stack, of a thread that has no other. */
static void who_is_woken_by_one_on_its_way_out_has_joined_it(void **state)
{
	static const double ends[] = {80.1, 79.99, 90}; /* of the one that wakes it at 80 */

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct scene *const s = begin();
		struct sd_event wake = {.kind = SD_EVENT_WAKE,
			.pid = PID,
			.tid = PID + 1,
			.other = PID,
			.time = 80 * MS};

		happens(s, 0, SD_EVENT_SWITCH_IN, PID, 0);
		happens(s, 0, SD_EVENT_SWITCH_IN, PID + 1, 0);
		happens(s, 10, SD_EVENT_SWITCH_OUT, PID, 0);
		if (ends[k] < 80)
			happens(s, ends[k], SD_EVENT_EXIT, PID + 1, 0);
		assert_int_equal(sd_timeline_build_event(&s->happened, &wake), 0);
		happens(s, 80.05, SD_EVENT_SWITCH_IN, PID, 0);
		if (ends[k] > 80)
			happens(s, ends[k], SD_EVENT_EXIT, PID + 1, 0);
		sd_timeline_build_end(&s->happened);
		assert_int_equal(s->timeline.moment[2].kind, SD_MOMENT_OUT);
		assert_int_equal(s->timeline.moment[2].activity,
			k < 2 ? SD_ACTIVITY_JOIN : SD_ACTIVITY_UNKNOWN);
		done(s);
	}
}

static void what_is_lost_adds_up_and_makes_no_moment(void **state)
{
	struct scene *const s = begin();
	struct sd_event lost = {.kind = SD_EVENT_LOST, .time = MS, .count = 7};

	(void)state;
	assert_int_equal(sd_timeline_build_event(&s->happened, &lost), 0);
	lost.count = 5;
	assert_int_equal(sd_timeline_build_event(&s->happened, &lost), 0);
	assert_int_equal(s->timeline.lost, 12);
	assert_int_equal(s->timeline.n, 0);
	assert_int_equal(s->timeline.n_thread, 0);
	done(s);
}

/* The first that was found is the one; its lowest three bits do not count. */
static void what_the_recorder_found_of_barriers_and_the_end_is_in_the_timeline(void **state)
{
	struct scene *const s = begin();
	struct sd_event e = {.kind = SD_EVENT_BARRIER,
		.pid = PID,
		.time = 9 * MS,
		.address = 0x2000,
		.count = SD_LIBGOMP_BARRIER_DOCK};
	unsigned dock, other;
	int fresh;

	(void)state;
	assert_int_equal(
		sd_timeline_place(&s->timeline, PID, 0x2004, 0, SD_ACTIVITY_POOL, &dock, &fresh),
		0);
	assert_int_equal(
		sd_timeline_place(&s->timeline, PID, 0x2008, 0, SD_ACTIVITY_POOL, &other, &fresh),
		0);
	assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
	e.count = SD_LIBGOMP_BARRIER_REGION;
	assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
	e.address = 0x2008;
	e.count = 99; /* of a file: no such kind */
	assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
	e = (struct sd_event){.kind = SD_EVENT_END, .pid = PID, .time = 10 * MS, .name = "boot"};
	assert_int_equal(sd_timeline_build_event(&s->happened, &e), 0);
	sd_timeline_build_end(&s->happened);
	assert_int_equal(s->timeline.place[dock].gomp, SD_LIBGOMP_BARRIER_DOCK);
	assert_int_equal(s->timeline.place[other].gomp, SD_LIBGOMP_BARRIER_UNKNOWN);
	assert_int_equal(s->timeline.end, 10 * MS);
	assert_int_equal(s->timeline.n, 0);
	assert_int_equal(s->timeline.n_thread, 0);
	assert_true(s->happened.ended);
	done(s);
}

/* Whatever the last run had, the next one needs as much memory as it has stacks. */
static void stacks_of_a_run_take_the_memory_of_the_last_one_s(void **state)
{
	static const unsigned char stack[64];
	struct scene *const s = begin();

	(void)state;
	for (int run = 1; run <= 100; run++) {
		for (unsigned i = 0; i < 20; i++) {
			const struct sd_event e = {.kind = SD_EVENT_SAMPLE,
				.pid = run,
				.tid = run,
				.ip = 0x1000 + i % 10,
				.stack = stack,
				.stack_size = sizeof stack};

			(void)sd_stack_resolve_node(&s->placing, &e);
		}
		assert_int_equal(s->placing.n_memo, 10);
		sd_stack_resolve_again(&s->placing);
		assert_int_equal(s->placing.n_memo, 0);
	}
	done(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_a_run_take_the_memory_of_the_last_one_s),
		cmocka_unit_test(turns_in_a_gap_are_dropped_and_samples_are_not),
		cmocka_unit_test(a_wait_without_a_stack_is_taken_for_the_one_of_nearest_length),
		cmocka_unit_test(a_wait_that_says_its_stack_is_taken_for_the_latest_with_that_one),
		cmocka_unit_test(waits_before_the_first_known_one_are_taken_for_later_ones),
		cmocka_unit_test(a_wait_that_a_gap_ends_in_has_no_length),
		cmocka_unit_test(a_thread_that_has_ended_waits_no_more),
		cmocka_unit_test(who_is_woken_by_one_on_its_way_out_has_joined_it),
		cmocka_unit_test(what_is_lost_adds_up_and_makes_no_moment),
		cmocka_unit_test(
			what_the_recorder_found_of_barriers_and_the_end_is_in_the_timeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
