/*
 * Gaps of a trace when a ring, a CPU or the bound overflows, and how it says so.
 */
#include <limits.h>
#include <unistd.h>

#include "probes/trace/trace_on.h"
#include "trace/trace_file.h"

/* ---- records ---- */

static struct fake_ring_event *stacks_event(unsigned cpu)
{
	return &fake.event[fake_find(cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES) -
			   FAKE_FD];
}

/* So many switches since the last look: of how many there is one stack after this one. */
static uint64_t pace_after(struct sd_capture *c, unsigned switches, uint64_t now)
{
	struct fake_ring_event *const e = stacks_event(FIRST);

	for (unsigned i = 0; i < switches; i++)
		assert_true(fake_switch_wide(FIRST, 0, now + i, PERF_RECORD_MISC_SWITCH_OUT));
	e->count += switches;
	sd_trace_drain(c, now);
	assert_false(e->attr.freq);
	return e->every ? e->every : e->attr.sample_period;
}

static void a_cpu_that_switches_too_often_has_fewer_stacks_while_it_does(void **state)
{
	const uint64_t look = 25000000;
	struct sd_capture *c;
	uint64_t fewer;

	(void)state;
	fake.no_wide = 0;
	c = opened(1);
	assert_int_equal(pace_after(c, 0, 40 * look), 1);
	assert_int_equal(pace_after(c, 100, 41 * look), 1);
	fewer = pace_after(c, 20000, 42 * look); /* 40 MB a second */
	assert_true(fewer > 1 && fewer % 2 && fewer % 3);
	fewer = pace_after(c, 200, 43 * look); /* 8000 a second */
	assert_int_equal(fewer, 7);
	assert_int_equal(pace_after(c, 160, 44 * look), fewer); /* hardly fewer */
	assert_int_equal(pace_after(c, 84, 45 * look), 5);      /* half of them */
	assert_int_equal(pace_after(c, 60, 46 * look), 5);      /* hardly fewer than too many */
	assert_int_equal(pace_after(c, 20, 47 * look), 1);
	assert_int_equal(pace_after(c, 20, 48 * look), 1);
	sd_trace_close(c);
}

/* A CPU's writes before it is read leave a quarter of its ring to other records. */
static void stacks_of_switches_never_fill_a_ring(void **state)
{
	const uint64_t look = 25000000;
	struct fake_ring_event *e;
	struct sd_capture *c;
	int fd;
	long all;

	(void)state;
	fake.no_wide = 0;
	c = opened(1);
	put_name("abc\0\0\0\0", PERF_RECORD_MISC_COMM_EXEC);
	e = stacks_event(FIRST);
	fd = (int)(e - fake.event) + FAKE_FD;
	all = e->allowed;
	assert_true(all > 0);
	assert_true((uint64_t)all * e->attr.sample_stack_user <
		    fake.event[fake_leader(FIRST) - FAKE_FD].ring.size * 3 / 4);
	for (unsigned i = 0; i < 3; i++) {
		fake_end(fake_sample(fd, i ? PID : 4000, 40 * look + i, 0), FIRST, 0);
		fake_switch_wide(FIRST, i ? PID : 4000, 40 * look + i, PERF_RECORD_MISC_SWITCH_OUT);
	}
	fake_end(fake_sample(fd, PID, 40 * look + 3, 0), FIRST, 0);
	sd_capture_read(c, 0);
	/* also those of others; not the one whose switch is still to come, which stays there */
	assert_int_equal(e->allowed, all + 3);
	fake_switch_wide(FIRST, PID, 40 * look + 4, PERF_RECORD_MISC_SWITCH_OUT);
	sd_capture_read(c, 0);
	assert_int_equal(e->allowed, all + 4);
	sd_capture_read(c, 0);
	assert_int_equal(e->allowed, all + 4);
	sd_trace_close(c);
}

/* The first CPU's event that is no sample of the clock is stopped. */
static int is_off(unsigned cpu, uint64_t config)
{
	return fake.event[fake_find(cpu, PERF_TYPE_SOFTWARE, config) - FAKE_FD].off;
}

/* Switches are left out on all CPUs at once, samples on none; what is drained meanwhile is of
 * before, and the events say from when to when. */
static void a_cpu_that_switches_far_too_often_is_watched_in_windows(void **state)
{
	const uint64_t look = 25000000;
	uint64_t delay, now, shut = 0;
	int times = 0;
	struct sd_capture *c;
	const struct seen *s;

	(void)state;
	fake.no_wide = 0;
	c = opened(2);
	put_name("abc\0\0\0\0", PERF_RECORD_MISC_COMM_EXEC);
	pace_after(c, 0, 40 * look);
	pace_after(c, 20000, 41 * look);
	assert_false(is_off(FIRST, PERF_COUNT_SW_DUMMY)); /* how many they are is not counted yet */
	stacks_event(FIRST)->count += 1000;               /* 40,000 a second */
	now = 42 * look;
	for (int i = 0; i < 20; i++) {
		delay = sd_trace_drain(c, now);
		shut += delay;
		for (unsigned cpu = FIRST; cpu < FIRST + 2; cpu++) {
			assert_true(is_off(cpu, PERF_COUNT_SW_DUMMY));
			assert_true(is_off(cpu, PERF_COUNT_SW_CONTEXT_SWITCHES));
			assert_false(is_off(cpu, PERF_COUNT_SW_CPU_CLOCK));
		}
		assert_int_equal(sd_trace_drain(c, now + delay / 4), delay - delay / 4);
		now += delay;
		delay = sd_trace_drain(c, now);
		assert_false(is_off(FIRST, PERF_COUNT_SW_DUMMY));
		assert_false(is_off(FIRST + 1, PERF_COUNT_SW_CONTEXT_SWITCHES));
		stacks_event(FIRST)->count += delay * 40000 / 1000000000;
		now += delay;
	}
	/* 10,000 or less of the 40,000 */
	assert_true((double)shut > .75 * (double)(now - 42 * look));
	assert_true((double)shut < .95 * (double)(now - 42 * look));
	/* it calms down */
	stacks_event(FIRST)->count -= 320;
	assert_int_equal(sd_trace_drain(c, now), look);
	assert_false(is_off(FIRST, PERF_COUNT_SW_DUMMY));
	s = stopped(c);
	for (size_t i = 0, on = 1; i < s->n; i++)
		if (s->event[i].kind == SD_EVENT_SHUT || s->event[i].kind == SD_EVENT_OPEN) {
			on = !on;
			assert_int_equal(on, s->event[i].kind == SD_EVENT_OPEN);
			times++;
		}
	assert_int_equal(times, 40);
	assert_int_equal(facts_of(c).n_lost, 0);
	sd_trace_close(c);
}

static void put_lost(uint64_t n)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_LOST, 0);

	fake_u64(r, 1);
	fake_u64(r, n);
	fake_trailer(r, FIRST, PID, 40);
	fake_end(r, FIRST, 0);
}

static void lost_records_are_counted_and_told(void **state)
{
	struct sd_capture *const c = opened(1);
	const struct seen *s;

	(void)state;
	put_lost(41);
	s = stopped(c);
	assert_int_equal(s->n, 1);
	assert_int_equal(s->event[0].kind, SD_EVENT_LOST);
	assert_int_equal(s->event[0].count, 41);
	assert_int_equal(facts_of(c).n_lost, 41);
	sd_trace_close(c);
}

/* 41 and 9 were lost; then no record had room to say the 9. */
static void what_was_lost_last_is_counted_too(void **state)
{
	struct sd_capture *const c = opened(1);
	const struct seen *s;

	(void)state;
	put_lost(41);
	fake.event[fake_clock(FIRST) - FAKE_FD].lost = 50;
	s = stopped(c);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->event[1].kind, SD_EVENT_LOST);
	assert_int_equal(s->event[1].count, 9);
	assert_int_equal(facts_of(c).n_lost, 50);
	sd_trace_close(c);
}

static void a_kernel_that_does_not_say_its_losses_records_all_else(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.no_losses = 1;
	c = opened(1);
	assert_int_equal(facts_of(c).samples, SD_STATUS_OK);
	assert_int_equal(fake.event[fake_clock(FIRST) - FAKE_FD].attr.build_id, 1);
	sd_trace_close(c);
}

/* ---- the bound ---- */

static void near_the_bound_samples_are_fewer_and_their_weights_sum_up(void **state)
{
	struct sd_capture *c;
	const struct sd_trace_options o = {.bytes = 4u << 20};
	const struct seen *s;
	double period, weight = 0;
	int fd;

	(void)state;
	assert_int_equal(open_on(&c, 1, o), 0);
	fd = fake_clock(FIRST);
	period = (double)fake.event[fd - FAKE_FD].attr.sample_period;
	for (unsigned i = 0; i < 4000; i++) {
		fake_end(fake_sample(fd, PID, i, 1), FIRST, 0);
		if (i % 100 == 0)
			sd_trace_drain(c, (i + 1) * UINT64_C(1000000000));
	}
	s = stopped(c);
	for (size_t i = 0; i < s->n; i++)
		weight += (double)s->event[i].weight;
	assert_true(facts_of(c).bytes <= 4u << 20);
	assert_int_equal(facts_of(c).n_samples, 4000);
	assert_int_equal(facts_of(c).n_lost, 0);
	assert_true(s->n < 2000);
	assert_true(facts_of(c).thinned);
	/* of the last ones, the one that would stand for them has not come */
	assert_true(weight > period * (4000 - 512) && weight <= period * 4000);
	sd_trace_close(c);
}

static void beyond_the_bound_switches_are_lost_but_not_mappings(void **state)
{
	struct sd_capture *c;
	const struct sd_trace_options o = {.bytes = 4096};
	const struct seen *s;
	uint64_t told = 0;

	(void)state;
	assert_int_equal(open_on(&c, 1, o), 0);
	for (unsigned i = 0; i < 4000; i++) {
		fake_switch(FIRST, PID, i, 0);
		if (i % 100 == 0)
			sd_trace_drain(c, (i + 1) * UINT64_C(1000000000));
	}
	put_map(0);
	s = stopped(c);
	assert_true(facts_of(c).bytes <= 4096);
	assert_int_equal(s->event[s->n - 1].kind, SD_EVENT_MAP);
	for (size_t i = 0; i < s->n; i++)
		told += s->event[i].kind == SD_EVENT_LOST ? s->event[i].count : 0;
	assert_int_equal(told, facts_of(c).n_lost);
	assert_int_equal(s->n - 2 + told, 4000);
	sd_trace_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_cpu_that_switches_too_often_has_fewer_stacks_while_it_does),
		TEST(stacks_of_switches_never_fill_a_ring),
		TEST(a_cpu_that_switches_far_too_often_is_watched_in_windows),
		TEST(lost_records_are_counted_and_told),
		TEST(what_was_lost_last_is_counted_too),
		TEST(a_kernel_that_does_not_say_its_losses_records_all_else),
		TEST(near_the_bound_samples_are_fewer_and_their_weights_sum_up),
		TEST(beyond_the_bound_switches_are_lost_but_not_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
