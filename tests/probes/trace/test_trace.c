/* The capture on a made-up kernel: what it refuses, and what is in its ring buffers. */
#include <limits.h>
#include <unistd.h>

#include "probes/trace/trace_on.h"
#include "trace/trace_file.h"

static void records_that_wrap_around_the_ring_are_whole(void **state)
{
	struct sd_capture *const c = opened(1);
	const int fd = fake_clock(FIRST);
	uint64_t n = 0;
	const struct seen *s;

	(void)state;
	while (fake.event[fd - FAKE_FD].ring.control->data_head < 6u << 20) {
		if (fake_end(fake_sample(fd, PID, 1000 + n, (int)(n & 0xff)), FIRST, 0))
			n++;
		else
			sd_trace_drain(c, n * 1000000000);
	}
	assert_true(n < SEEN);
	s = stopped(c);
	assert_int_equal(s->n, n);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->event[i].time, 1000 + i);
		assert_int_equal(s->event[i].tid, PID);
		assert_int_equal(s->event[i].ip, 0x400000 + PID);
		assert_int_equal(s->event[i].cpu, FIRST);
		if (s->event[i].regs.mask) {
			assert_int_equal(s->fill[i], i & 0xff);
			assert_int_equal(s->event[i].regs.reg[2], 0x1002);
		}
		assert_int_equal(s->event[i].n_chain, 2);
		assert_int_equal(s->event[i].n_pointed, 2);
		assert_false(s->event[i].kernel);
	}
	assert_int_equal(facts_of(c).n_lost, 0);
	sd_trace_close(c);
}

static void events_of_all_cpus_come_in_the_order_of_time(void **state)
{
	struct sd_capture *const c = opened(8);
	const struct seen *s;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		const unsigned cpu = FIRST + i * 5 % 8;

		fake_switch(cpu, PID + (int)i, 5000 + i, i % 2 ? PERF_RECORD_MISC_SWITCH_OUT : 0);
		if (i % 300 == 0)
			sd_trace_drain(c, (i + 1) * UINT64_C(1000000000));
	}
	s = stopped(c);
	assert_int_equal(s->n, 1000);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->event[i].time, 5000 + i);
		assert_int_equal(s->event[i].tid, PID + (int)i);
		assert_int_equal(s->event[i].pid, PID + (int)i);
		assert_int_equal(
			s->event[i].kind, i % 2 ? SD_EVENT_SWITCH_OUT : SD_EVENT_SWITCH_IN);
	}
	/* again, the same; and it ends when told */
	assert_int_equal(replayed(c)->n, 1000);
	{
		static struct seen some = {.stop_at = 10};

		some.n = 0;
		assert_int_equal(sd_trace_replay(c, note, &some), 77);
		assert_int_equal(some.n, 10);
	}
	sd_trace_close(c);
}

static void a_switch_has_its_stack_even_over_two_drains(void **state)
{
	struct sd_capture *const c = opened(1);
	const int fd = fake_find(FIRST, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	const struct seen *s;

	(void)state;
	fake_end(fake_sample(fd, PID, 10, 7), FIRST, 0);
	sd_trace_drain(c, 1000000000);
	fake_switch(
		FIRST, PID, 11, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	fake_switch(FIRST, PID + 1, 12, 0);
	fake_switch(FIRST, PID + 1, 13, PERF_RECORD_MISC_SWITCH_OUT);
	fake_end(fake_sample(fd, PID + 2, 14, 9), FIRST, 0); /* its switch was lost */
	s = stopped(c);
	assert_int_equal(s->n, 4);
	assert_int_equal(s->event[0].kind, SD_EVENT_SWITCH_OUT);
	assert_int_equal(s->event[0].time, 11);
	assert_true(s->event[0].preempted);
	assert_int_equal(s->event[0].weight, 0);
	assert_int_equal(s->event[0].n_chain, 2);
	if (s->event[0].regs.mask)
		assert_int_equal(s->fill[0], 7);
	assert_int_equal(s->event[1].kind, SD_EVENT_SWITCH_IN);
	assert_int_equal(s->event[2].kind, SD_EVENT_SWITCH_OUT);
	assert_int_equal(s->event[2].n_chain, 0);
	assert_int_equal(s->event[0].n_pointed, 2);
	assert_int_equal(s->event[2].n_pointed, 0);
	assert_false(s->event[2].preempted);
	assert_int_equal(s->event[3].tid, PID + 2);
	assert_int_equal(facts_of(c).n_switches, 3);
	assert_int_equal(facts_of(c).switch_stacks, SD_STATUS_MULTIPLEXED);
	sd_trace_close(c);
}

static void put_wake(int tid, int common_pid, unsigned char flags, int woken)
{
	const int fd = fake_find(FIRST, PERF_TYPE_TRACEPOINT, 375);
	struct fake_record *const r = fake_begin(PERF_RECORD_SAMPLE, 0);
	unsigned char data[36] = {0};

	data[2] = flags;
	memcpy(data + 4, &common_pid, 4);
	memcpy(data + 24, &woken, 4);
	fake_u64(r, (uint64_t)fd);
	fake_u32(r, (uint32_t)tid);
	fake_u32(r, (uint32_t)tid);
	fake_u64(r, 20);
	fake_u32(r, sizeof data);
	fake_bytes(r, data, sizeof data);
	fake_end(r, FIRST, 0);
}

static void wakes_name_both_threads(void **state)
{
	struct sd_capture *const c = opened(1);
	const struct seen *s;

	(void)state;
	put_wake(PID, PID, 0, 222);
	put_wake(PID, PID, 0x08, 223); /* in an interrupt: not PID's doing */
	put_wake(PID, 5000, 0, 224);   /* numbers of another PID namespace */
	s = stopped(c);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->event[0].kind, SD_EVENT_WAKE);
	assert_int_equal(s->event[0].tid, PID);
	assert_int_equal(s->event[0].other, 222);
	assert_int_equal(s->event[1].tid, 0);
	assert_int_equal(s->event[1].other, 223);
	sd_trace_close(c);
}

static void put_task_on(unsigned cpu, uint32_t type, int pid, int parent, int tid, uint64_t time)
{
	struct fake_record *const r = fake_begin(type, 0);

	fake_u32(r, (uint32_t)pid);
	fake_u32(r, (uint32_t)parent);
	fake_u32(r, (uint32_t)tid);
	fake_u32(r, (uint32_t)parent);
	fake_u64(r, time);
	fake_trailer(r, cpu, parent, time);
	fake_end(r, cpu, 0);
}

static void put_task(uint32_t type, int pid, int parent, int tid)
{
	put_task_on(FIRST, type, pid, parent, tid, 30);
}

/* The mark is left of an event of somebody else that had asked; the inode stands there. */
static void a_build_id_that_was_not_asked_for_is_none(void **state)
{
	struct sd_capture *c;
	const struct seen *s;

	(void)state;
	fake.no_build_id = 1;
	c = opened(1);
	put_map_marked(0, PERF_RECORD_MISC_MMAP_BUILD_ID);
	s = stopped(c);
	assert_int_equal(s->n, 1);
	assert_int_equal(s->event[0].kind, SD_EVENT_MAP);
	assert_int_equal(s->event[0].n_build_id, 0);
	assert_int_equal(s->event[0].inode, 4242);
	assert_int_equal(s->event[0].major, 8);
	sd_trace_close(c);
}

static void tasks_names_and_maps_are_told(void **state)
{
	struct sd_capture *const c = opened(1);
	const struct seen *s;

	(void)state;
	put_task(PERF_RECORD_FORK, 101, PID, 102);
	put_name("abc\0\0\0\0", PERF_RECORD_MISC_COMM_EXEC);
	put_map(1);
	put_map(0);
	put_task(PERF_RECORD_EXIT, 101, PID, 102);
	s = stopped(c);
	assert_int_equal(s->n, 6);
	assert_int_equal(s->event[0].kind, SD_EVENT_FORK);
	assert_int_equal(s->event[0].pid, 101);
	assert_int_equal(s->event[0].tid, 102);
	assert_int_equal(s->event[0].other, PID);
	assert_int_equal(s->event[1].kind, SD_EVENT_EXEC);
	assert_int_equal(s->event[2].kind, SD_EVENT_NAME);
	assert_string_equal(s->name[2], "abc");
	assert_int_equal(s->event[3].kind, SD_EVENT_MAP);
	assert_string_equal(s->name[3], "/lib/a");
	assert_int_equal(s->event[3].n_build_id, 20);
	assert_int_equal(s->event[3].build_id[1], 0xcd);
	assert_int_equal(s->event[3].offset, 0x3000);
	assert_int_equal(s->event[4].inode, 4242);
	assert_int_equal(s->event[4].major, 8);
	assert_int_equal(s->event[4].n_build_id, 0);
	assert_int_equal(s->event[5].kind, SD_EVENT_EXIT);
	assert_int_equal(s->event[5].tid, 102);
	sd_trace_close(c);
}

/* Events of the whole CPU are of others too. */
static void what_is_not_of_the_tree_is_dropped(void **state)
{
	struct sd_capture *c;
	const struct seen *s;
	int fd;

	(void)state;
	fake.no_wide = 0;
	c = opened(2);
	fd = fake_clock(FIRST);
	assert_true(fake.event[fd - FAKE_FD].attr.exclude_idle);
	fake_end(fake_sample(fd, PID, 1, 0), FIRST, 0); /* before its exec */
	sd_trace_drain(c, 1000000000);
	put_name("abc\0\0\0\0", PERF_RECORD_MISC_COMM_EXEC);
	put_task_on(FIRST, PERF_RECORD_FORK, 55, 54, 55, 31);
	put_task_on(FIRST + 1, PERF_RECORD_FORK, 101, PID, 102, 32);
	fake_switch_wide(FIRST, 0, 1033, PERF_RECORD_MISC_SWITCH_OUT);
	fake_switch_wide(FIRST, 55, 1034, 0);
	fake_switch_wide(FIRST, 55, 3034, PERF_RECORD_MISC_SWITCH_OUT);
	fake_switch_wide(FIRST, getpid(), 3035, 0);
	fake_switch_wide(FIRST, getpid(), 9035, PERF_RECORD_MISC_SWITCH_OUT);
	fake_end(fake_sample(fd, 55, 33, 0), FIRST, 0);
	fake_end(fake_sample(fd, 102, 34, 0), FIRST, 0);
	fake_end(fake_sample(fd, PID, 35, 0), FIRST, 0);
	s = stopped(c);
	assert_true(facts_of(c).together);
	assert_int_equal((int)(facts_of(c).strangers_s * 1e9 + .5), 2000); /* not ours, not idle */
	assert_int_equal(facts_of(c).n_samples, 2);
	assert_int_equal(facts_of(c).n_lost, 0);
	assert_int_equal(s->n, 5);
	assert_int_equal(s->event[3].kind, SD_EVENT_SAMPLE);
	assert_int_equal(s->event[3].tid, 102);
	assert_int_equal(s->event[4].tid, PID);
	sd_trace_close(c);
}

static void events_of_whole_cpus_are_copied_to_no_thread(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.no_wide = 0;
	c = opened(2);
	assert_int_equal(facts_of(c).cpus_covered, 2); /* and none where the tree is not */
	assert_int_equal(fake.open, 2 * 4);
	for (int i = 0; i < FAKE_EVENTS; i++)
		if (fake.event[i].used) {
			assert_int_equal(fake.event[i].pid, -1);
			assert_false(fake.event[i].attr.inherit);
		}
	fake_switch_wide(FIRST, PID, 30, 0); /* before its exec */
	put_name("abc\0\0\0\0", PERF_RECORD_MISC_COMM_EXEC);
	fake_switch_wide(FIRST, PID, 32, PERF_RECORD_MISC_SWITCH_OUT);
	assert_int_equal(stopped(c)->n, 3);
	assert_int_equal(facts_of(c).n_switches, 1);
	assert_int_equal(facts_of(c).n_lost, 0);
	sd_trace_close(c);
}

static void records_of_wrong_sizes_are_skipped_and_counted(void **state)
{
	struct sd_capture *const c = opened(1);
	const int fd = fake_clock(FIRST);
	struct fake_record *r;
	const struct seen *s;

	(void)state;
	r = fake_sample(fd, PID, 1, 0);
	r->n -= 16;
	fake_end(r, FIRST, 0); /* cut */
	fake_end(fake_begin(PERF_RECORD_SAMPLE, 0), FIRST, 0);
	r = fake_begin(PERF_RECORD_SAMPLE, 0);
	fake_u64(r, 99999); /* of no event of ours */
	fake_end(r, FIRST, 0);
	r = fake_begin(PERF_RECORD_COMM, 0);
	fake_u64(r, 0);
	fake_bytes(r, "ABCDEFGH", 8); /* without an end */
	fake_trailer(r, FIRST, PID, 2);
	fake_end(r, FIRST, 0);
	fake_end(fake_begin(77, 0), FIRST, 0); /* unknown: not an error */
	fake_switch(FIRST, PID, 3, 0);
	fake_end(fake_begin(PERF_RECORD_SWITCH, 0), FIRST, 4); /* smaller than a header */
	fake_switch(FIRST, PID, 4, 0);
	s = stopped(c);
	assert_int_equal(s->n, 1);
	assert_int_equal(s->event[0].time, 3);
	assert_int_equal(facts_of(c).n_lost, 5);
	sd_trace_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_build_id_that_was_not_asked_for_is_none),
		TEST(records_that_wrap_around_the_ring_are_whole),
		TEST(events_of_all_cpus_come_in_the_order_of_time),
		TEST(a_switch_has_its_stack_even_over_two_drains),
		TEST(wakes_name_both_threads),
		TEST(tasks_names_and_maps_are_told),
		TEST(what_is_not_of_the_tree_is_dropped),
		TEST(events_of_whole_cpus_are_copied_to_no_thread),
		TEST(records_of_wrong_sizes_are_skipped_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
