/*
 * A kept trace gives the same events when it is read again.
 */
#include <limits.h>
#include <unistd.h>

#include "probes/trace/trace_on.h"
#include "trace/trace_file.h"

static void notes_of_the_recorder_come_last_in_a_kept_file(void **state)
{
	char path[] = "/tmp/sd_capture_XXXXXX";
	const int tmp = mkstemp(path);
	const struct sd_event barrier = {.kind = SD_EVENT_BARRIER,
		.pid = PID,
		.time = 1000,
		.address = 0xfedcba9876543210u,
		.count = 2};
	const struct sd_event end = {
		.kind = SD_EVENT_END, .pid = PID, .time = 2000, .name = "a-boot"};
	const struct sd_event data = {.kind = SD_EVENT_DATA,
		.pid = PID,
		.time = 1500,
		.address = 0x7f0000001000,
		.size = 0x2000,
		.offset = 0x3000,
		.major = 8,
		.minor = 1,
		.inode = 77,
		.name = "/dev/shm/a",
		.count = 1};
	struct sd_capture *c, *again;
	const struct seen *s;

	(void)state;
	assert_true(tmp >= 0);
	close(tmp);
	assert_int_equal(open_on(&c, 2, (struct sd_trace_options){.keep = path}), 0);
	fake_end(fake_sample(fake_clock(FIRST), PID, 100, 1), FIRST, 0);
	sd_trace_stop(c);
	assert_int_equal(sd_trace_note(c, &barrier), 0);
	assert_int_equal(sd_trace_note(c, &data), 0);
	assert_int_equal(sd_trace_note(c, &end), 0);
	assert_int_equal(sd_trace_keep(c), 0);
	sd_trace_close(c);
	assert_int_equal(sd_capture_from_file(&again, path), 0);
	s = replayed(again);
	assert_int_equal(s->n, 4);
	assert_int_equal(s->event[1].kind, SD_EVENT_BARRIER);
	assert_int_equal(s->event[1].pid, PID);
	assert_true(s->event[1].address == barrier.address);
	assert_int_equal(s->event[1].count, 2);
	assert_int_equal(s->event[2].kind, SD_EVENT_DATA);
	assert_true(s->event[2].address == data.address && s->event[2].size == data.size);
	assert_true(s->event[2].offset == data.offset && s->event[2].inode == data.inode);
	assert_int_equal(s->event[2].count, 1);
	assert_string_equal(s->name[2], "/dev/shm/a");
	assert_int_equal(s->event[3].kind, SD_EVENT_END);
	assert_int_equal(s->event[3].time, 2000);
	assert_string_equal(s->name[3], "a-boot");
	sd_trace_close(again);
	unlink(path);
}

static void a_kept_file_gives_the_same_events(void **state)
{
	char path[] = "/tmp/sd_capture_XXXXXX";
	const int tmp = mkstemp(path);
	struct sd_capture *c, *again;
	const struct sd_trace_options o = {.keep = path};
	static struct seen before;
	const struct seen *s;

	(void)state;
	assert_true(tmp >= 0);
	close(tmp);
	assert_int_equal(open_on(&c, 3, o), 0);
	for (unsigned i = 0; i < 200; i++) {
		const unsigned cpu = FIRST + i % 3;

		fake_end(fake_sample(fake_clock(cpu), PID, 100 + i, (int)i), cpu, 0);
	}
	put_map(1);
	c->facts.programs = SD_STATUS_DENIED;
	c->facts.stack_bytes = 4096;
	before = *stopped(c);
	assert_int_equal(sd_capture_from_file(&again, path), 0);
	assert_int_equal(facts_of(again).n_samples, 200);
	assert_int_equal(facts_of(again).programs, SD_STATUS_DENIED);
	assert_int_equal(facts_of(again).stack_bytes, 4096);
	assert_int_equal(facts_of(again).wakes, facts_of(c).wakes);
	assert_int_equal(facts_of(again).kernel, SD_STATUS_OK);
	assert_true(facts_of(c).cpu_s > 0);
	assert_true(facts_of(again).cpu_s == facts_of(c).cpu_s);
	assert_int_equal(facts_of(again).thinned, facts_of(c).thinned);
	s = replayed(again);
	assert_int_equal(s->n, before.n);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->event[i].time, before.event[i].time);
		assert_int_equal(s->event[i].cpu, before.event[i].cpu);
		assert_int_equal(s->event[i].ip, before.event[i].ip);
		assert_int_equal(s->event[i].weight, before.event[i].weight);
		assert_int_equal(s->fill[i], before.fill[i]);
	}
	sd_trace_close(again);
	assert_int_equal(truncate(path, 1000), 0);
	assert_int_equal(sd_capture_from_file(&again, path), -EINVAL);
	assert_null(again);
	unlink(path);
	assert_int_equal(sd_capture_from_file(&again, path), -ENOENT);
	sd_trace_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kept_file_gives_the_same_events),
		TEST(notes_of_the_recorder_come_last_in_a_kept_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
