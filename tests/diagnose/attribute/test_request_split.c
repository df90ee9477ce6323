/* Slow requests split into what they took time for: timelines whose every ns is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/lane_spans.h"
#include "requests/request_split.h"
#include "support/near.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define START (500 * MS)
#define REQUESTS 200u
#define EACH 10 * MS /* one begins */

enum { SERVER, OTHER };                 /* threads */
enum { SERVE = 1, JOB, COLLECT, LIBC }; /* nodes */

struct scene {
	struct sd_timeline t;
	struct sd_stacks stacks;
	struct sd_region_run region;
	struct sd_request_run out;
	unsigned lock; /* text */
};

static void add_node(struct sd_stacks *s, unsigned parent, const char *function, const char *file)
{
	struct sd_frame f = {0};
	unsigned frame, node;

	assert_int_equal(sd_stacks_text(s, function, &f.function), 0);
	assert_int_equal(sd_stacks_text(s, file, &f.file), 0);
	assert_int_equal(sd_stacks_frame(s, &f, &frame), 0);
	assert_int_equal(sd_stacks_node(s, parent, frame, &node), 0);
}

static void begin(struct scene *s, unsigned requests)
{
	unsigned thread;

	*s = (struct scene){.t = {.start = START, .end = START + requests * EACH}};
	for (int i = 0; i < 2; i++)
		assert_int_equal(sd_timeline_thread(&s->t, 7, 10 + i, &thread), 0);
	add_node(&s->stacks, 0, "serve", "a.c");
	add_node(&s->stacks, 0, "job", "a.c");
	add_node(&s->stacks, SERVE, "runtime.gcAssistAlloc", "");
	add_node(&s->stacks, SERVE, "memset", "");
	assert_int_equal(sd_stacks_text(&s->stacks, "table", &s->lock), 0);
	s->region.requests = &s->out;
	s->region.entry = calloc(requests, sizeof *s->region.entry);
	assert_non_null(s->region.entry);
}

static void end(struct scene *s)
{
	sd_timeline_free(&s->t);
	sd_stacks_free(&s->stacks);
	free(s->region.entry);
}

static struct sd_moment *add(
	struct scene *s, uint64_t at, enum sd_moment_kind kind, unsigned thread)
{
	const struct sd_moment m = {.time = START + at, .kind = kind, .thread = thread};

	assert_int_equal(sd_timeline_add(&s->t, &m), 0);
	return &s->t.moment[s->t.n - 1];
}

static void request(struct scene *s, uint64_t at, uint64_t took)
{
	s->region.entry[s->region.n_entry++] =
		(struct sd_request_entry){START + at, START + at + took, 10};
}

static void sample(struct scene *s, uint64_t at, enum sd_activity activity, unsigned node)
{
	struct sd_moment *const m = add(s, at, SD_MOMENT_SAMPLE, SERVER);

	m->activity = activity;
	m->node = node;
	m->weight = 2 * MS;
}

/* It waits for a lock from .5 to 7.5 ms, and for a CPU for another .5; OTHER ends that. */
static void wait_for_lock(struct scene *s, uint64_t at, int busy)
{
	struct sd_moment *m = add(s, at + 500 * US, SD_MOMENT_OUT, SERVER);

	m->activity = SD_ACTIVITY_MUTEX;
	m->node = LIBC;
	m->lock = 1;
	if (busy) {
		m = add(s, at + 4 * MS, SD_MOMENT_SAMPLE, OTHER);
		m->node = JOB;
		m->weight = 2 * MS;
	}
	add(s, at + 7500 * US, SD_MOMENT_WAKE, OTHER)->other = SERVER;
	add(s, at + 8 * MS, SD_MOMENT_IN, SERVER);
}

static void split(struct scene *s, int throttled)
{
	struct sd_thread_lanes_run lanes;

	assert_int_equal(sd_lane_spans_make(&s->t, SIZE_MAX, &lanes), 0);
	assert_int_equal(sd_request_split_fill(&(struct sd_request_split){.timeline = &s->t,
						       .lanes = &lanes,
						       .stacks = &s->stacks,
						       .throttled = throttled},
				 &s->region),
		0);
	sd_thread_lanes_run_free(&lanes);
}

/* Every 40th request takes 8.5 ms instead of 1; `busy`: OTHER is on a CPU all the time. */
static void make_locked(struct scene *s, int busy)
{
	begin(s, REQUESTS);
	s->t.place = calloc(1, sizeof *s->t.place);
	assert_non_null(s->t.place);
	s->t.n_place = s->t.room_place = 1;
	s->t.place[0].name = s->lock;
	add(s, 0, SD_MOMENT_IN, SERVER);
	add(s, 0, busy ? SD_MOMENT_IN : SD_MOMENT_OUT, OTHER)->activity = SD_ACTIVITY_SLEEP;
	for (unsigned i = 0; i < REQUESTS; i++) {
		const int slow = i % 40 == 39;

		request(s, i * EACH, slow ? 8500 * US : MS);
		if (slow)
			wait_for_lock(s, i * EACH, busy);
	}
}

static const struct sd_request_group *group(const struct scene *s, enum sd_request_speed speed)
{
	double sum = 0;

	for (int k = 0; k < SD_REQUEST_PART_COUNT; k++)
		sum += s->out.group[speed].part[k];
	assert_near(sum, s->out.group[speed].took, 1e-9);
	return &s->out.group[speed];
}

static void slow_requests_waited_for_a_lock_and_its_holder_is_named(void **state)
{
	const struct sd_request_group *slow, *typical;
	struct scene s;

	(void)state;
	make_locked(&s, 1);
	split(&s, 0);
	slow = group(&s, SD_REQUESTS_SLOW);
	typical = group(&s, SD_REQUESTS_TYPICAL);
	assert_int_equal(s.out.state, SD_REQUESTS_COMPARED);
	assert_true(slow->requests == 5 && typical->requests == 40 && s.out.unseen == 0);
	assert_near(slow->part[SD_REQUEST_LOCK], .007, 1e-9);
	assert_near(slow->part[SD_REQUEST_RUN_QUEUE], .0005, 1e-9);
	assert_near(slow->part[SD_REQUEST_WORK], .001, 1e-9);
	assert_near(typical->took, .001, 1e-9);
	assert_near(typical->part[SD_REQUEST_WORK], .001, 1e-9);
	/* the caller with a source line, not the library's function */
	assert_int_equal(s.out.place[0].part, SD_REQUEST_LOCK);
	assert_int_equal(s.out.place[0].node, SERVE);
	assert_int_equal(s.out.place[0].lock, s.lock);
	assert_int_equal(s.out.place[0].holder, JOB);
	assert_near(s.out.place[0].s[SD_REQUESTS_SLOW], .007, 1e-9);
	end(&s);
}

/* It is pushed from its CPU at 1 ms by OTHER, of whose code a sample tells, until OTHER leaves at
 * `left`; it gets a CPU at 9 ms. */
static void wait_for_cpu(struct scene *s, uint64_t at, uint64_t left)
{
	struct sd_moment *m;

	add(s, at + MS, SD_MOMENT_PUSHED, SERVER);
	add(s, at + MS, SD_MOMENT_IN, OTHER);
	m = add(s, at + 5 * MS, SD_MOMENT_SAMPLE, OTHER);
	m->node = JOB;
	m->weight = 2 * MS;
	add(s, at + left, SD_MOMENT_PUSHED, OTHER);
	add(s, at + 9 * MS, SD_MOMENT_IN, SERVER);
}

/* The thread whose CPU it got is named; one that left another CPU before is not. */
static void who_had_the_cpu_is_named(void **state)
{
	static const struct {
		uint64_t left;
		unsigned holder;
	} row[] = {{9 * MS, JOB}, {8 * MS, 0}};
	struct scene s;

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		begin(&s, REQUESTS);
		add(&s, 0, SD_MOMENT_IN, SERVER);
		for (unsigned i = 0; i < REQUESTS; i++) {
			request(&s, i * EACH, i % 40 ? MS / 2 : 9500 * US);
			if (i % 40 == 0)
				wait_for_cpu(&s, i * EACH, row[k].left);
		}
		split(&s, 0);
		assert_near(group(&s, SD_REQUESTS_SLOW)->part[SD_REQUEST_RUN_QUEUE], .008, 1e-9);
		assert_int_equal(s.out.place[0].part, SD_REQUEST_RUN_QUEUE);
		assert_int_equal(s.out.place[0].holder, row[k].holder);
		end(&s);
	}
}

static void only_waits_for_a_cpu_in_which_no_thread_runs_are_the_quotas(void **state)
{
	struct scene s;

	(void)state;
	make_locked(&s, 1);
	split(&s, 1);
	assert_true(group(&s, SD_REQUESTS_SLOW)->part[SD_REQUEST_THROTTLED] == 0);
	end(&s);
	make_locked(&s, 0);
	split(&s, 1);
	assert_near(group(&s, SD_REQUESTS_SLOW)->part[SD_REQUEST_THROTTLED], .0005, 1e-9);
	assert_true(s.out.group[SD_REQUESTS_SLOW].part[SD_REQUEST_RUN_QUEUE] == 0);
	end(&s);
	make_locked(&s, 0); /* no quota was used up */
	split(&s, 0);
	assert_near(group(&s, SD_REQUESTS_SLOW)->part[SD_REQUEST_RUN_QUEUE], .0005, 1e-9);
	end(&s);
}

/* Slow ones take 5 ms on a CPU, in which two samples of three are in page faults. */
static void samples_divide_the_time_on_cpus(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, REQUESTS);
	add(&s, 0, SD_MOMENT_IN, SERVER);
	for (unsigned i = 0; i < REQUESTS; i++) {
		const uint64_t at = i * EACH;
		const int slow = i % 40 == 39;

		request(&s, at, slow ? 6 * MS : MS);
		sample(&s, at + 900 * US, SD_ACTIVITY_USEFUL, slow ? COLLECT : SERVE);
		if (slow) {
			sample(&s, at + 3 * MS, SD_ACTIVITY_KERNEL_FAULT, LIBC);
			sample(&s, at + 5 * MS, SD_ACTIVITY_KERNEL_ZEROING, LIBC);
		}
		sample(&s, at + 9 * MS, SD_ACTIVITY_KERNEL_FILE, JOB); /* of no request */
	}
	split(&s, 0);
	assert_near(group(&s, SD_REQUESTS_SLOW)->part[SD_REQUEST_FAULT], .004, 1e-9);
	assert_near(s.out.group[SD_REQUESTS_SLOW].part[SD_REQUEST_COLLECTOR], .002, 1e-9);
	assert_near(group(&s, SD_REQUESTS_TYPICAL)->part[SD_REQUEST_WORK], .001, 1e-9);
	assert_int_equal(s.out.place[0].part, SD_REQUEST_FAULT);
	assert_int_equal(s.out.place[0].node, SERVE);
	end(&s);
}

/* Switches were not recorded for a part of each slow one; another thread's are not known. */
static void what_was_not_recorded_is_not_known(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, REQUESTS + 2);
	add(&s, 0, SD_MOMENT_IN, SERVER);
	for (unsigned i = 0; i < REQUESTS; i++) {
		const int slow = i % 40 == 39;

		request(&s, i * EACH, slow ? 6 * MS : MS);
		if (!slow)
			continue;
		assert_int_equal(sd_timeline_shut(&s.t, START + i * EACH + 2 * MS), 0);
		sd_timeline_open(&s.t, START + i * EACH + 5 * MS);
		add(&s, i * EACH + 5 * MS, SD_MOMENT_IN, SERVER);
	}
	request(&s, 0, 9 * MS);
	s.region.entry[s.region.n_entry - 1].tid = 99;
	sd_timeline_bound(&s.t);
	split(&s, 0);
	assert_near(group(&s, SD_REQUESTS_SLOW)->part[SD_REQUEST_UNKNOWN], .003, 1e-9);
	assert_true(s.out.unseen == 1);
	end(&s);
}

static void few_requests_and_no_switches_have_no_comparison(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, REQUESTS);
	s.out.state = SD_REQUESTS_UNSWITCHED;
	for (unsigned i = 0; i < REQUESTS; i++)
		request(&s, i * EACH, MS);
	split(&s, 0);
	assert_int_equal(s.out.state, SD_REQUESTS_UNSWITCHED);
	add(&s, 0, SD_MOMENT_IN, SERVER);
	s.region.n_entry = SD_REQUESTS_LEAST - 1;
	split(&s, 0);
	assert_int_equal(s.out.state, SD_REQUESTS_FEW);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_requests_waited_for_a_lock_and_its_holder_is_named),
		cmocka_unit_test(who_had_the_cpu_is_named),
		cmocka_unit_test(only_waits_for_a_cpu_in_which_no_thread_runs_are_the_quotas),
		cmocka_unit_test(samples_divide_the_time_on_cpus),
		cmocka_unit_test(what_was_not_recorded_is_not_known),
		cmocka_unit_test(few_requests_and_no_switches_have_no_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
