/* The capture on a made-up kernel: what it refuses, and what is in its ring buffers. */
#include "trace/trace.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "trace/trace_file.h"
#include "trace/trace_state.h"
#include "support/fakering.h"

#define PID 100

static int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	fake.no_wide = 1;
	return 0;
}

static int nothing_is_left_open(void **state)
{
	(void)state;
	return fake.open || fake.rings || fake.locked;
}

/* On `n` CPUs beyond those that this machine has: 1000, 1001... */
#define FIRST 1000u
static int open_on(struct sd_capture **c, unsigned n, struct sd_trace_options o)
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

static struct sd_capture *opened(unsigned n)
{
	struct sd_capture *c;

	assert_int_equal(open_on(&c, n, (struct sd_trace_options){0}), 0);
	return c;
}

static struct sd_trace_facts facts_of(const struct sd_capture *c)
{
	struct sd_trace_facts f;

	sd_trace_facts(c, &f);
	return f;
}

/* CPUs of this machine that the tree may run on too: one event each. */
static unsigned elsewhere(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

/* ---- what came out ---- */

#define SEEN 4096

struct seen {
	size_t n;
	struct sd_event event[SEEN];
	char name[SEEN][16];
	int fill[SEEN]; /* what all bytes of its stack are; -1 none */
	int stop_at;
};

static int note(void *ctx, const struct sd_event *e)
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

static struct seen *replayed(struct sd_capture *c)
{
	static struct seen s;

	s.n = 0;
	s.stop_at = 0;
	assert_int_equal(sd_trace_replay(c, note, &s), 0);
	for (size_t i = 1; i < s.n; i++)
		assert_true(s.event[i].time >= s.event[i - 1].time);
	return &s;
}

static struct seen *stopped(struct sd_capture *c)
{
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	return replayed(c);
}

/* ---- refusals ---- */

static void what_is_denied_in_part_is_a_fact(void **state)
{
	struct sd_capture *c;
	struct sd_trace_facts f;

	(void)state;
	fake.no_kernel = 1;
	c = opened(2);
	f = facts_of(c);
	assert_int_equal(f.samples, SD_STATUS_OK);
	assert_int_equal(f.switches, SD_STATUS_OK);
	assert_int_equal(f.switch_stacks, SD_STATUS_DENIED);
	assert_int_equal(f.kernel, SD_STATUS_DENIED);
	assert_int_equal(f.wakes, SD_STATUS_DENIED);
	for (int i = 0; i < FAKE_EVENTS; i++)
		if (fake.event[i].used) {
			assert_true(fake.event[i].attr.exclude_kernel);
			assert_false(fake.event[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN);
		}
	sd_trace_close(c);
}

static void everything_allowed_is_ok(void **state)
{
	struct sd_capture *const c = opened(2);
	const struct sd_trace_facts f = facts_of(c);

	(void)state;
	assert_int_equal(f.kernel, SD_STATUS_OK);
	assert_int_equal(f.switch_stacks, SD_STATUS_OK);
	assert_int_equal(f.wakes, SD_STATUS_OK);
	assert_int_equal(f.cpus_covered, 2 + elsewhere());
	assert_int_equal(f.cpus_wanted, 2 + elsewhere());
	assert_int_equal(fake.open, 2 * 3 + elsewhere());
	sd_trace_close(c);
}

static void no_tracefs_costs_only_the_wakers(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.no_wakepoint = 1;
	c = opened(1);
	assert_int_equal(facts_of(c).wakes, SD_STATUS_UNSUPPORTED);
	assert_int_equal(facts_of(c).switch_stacks, SD_STATUS_OK);
	sd_trace_close(c);
}

static void a_kernel_without_build_ids_maps_without(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.no_build_id = 1;
	c = opened(1);
	assert_int_equal(facts_of(c).samples, SD_STATUS_OK);
	sd_trace_close(c);
}

static void denied_in_whole_is_the_error(void **state)
{
	static const int errors[] = {-EACCES, -EPERM, -ENOSYS, -EOPNOTSUPP};
	struct sd_capture *c;

	(void)state;
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		fake.error = errors[i];
		assert_int_equal(open_on(&c, 2, (struct sd_trace_options){0}), errors[i]);
		assert_null(c);
	}
}

static void an_offline_cpu_is_not_wanted(void **state)
{
	struct sd_capture *c;

	(void)state;
	fake.offline = FIRST + 1;
	c = opened(3);
	assert_int_equal(facts_of(c).cpus_wanted, 2 + elsewhere());
	assert_int_equal(facts_of(c).cpus_covered, 2 + elsewhere());
	sd_trace_close(c);
}

/* Soft and hard limit on files while a test lasts. */
static void limit_files(rlim_t soft, rlim_t hard)
{
	assert_int_equal(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = soft, .rlim_max = hard}), 0);
}

static void the_soft_limit_on_files_is_raised_and_put_back(void **state)
{
	struct rlimit before, now;
	struct sd_capture *c;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	if (before.rlim_max < 2048) {
		print_message("SKIP: the hard limit on files is %llu\n",
			(unsigned long long)before.rlim_max);
		skip();
	}
	limit_files(256, before.rlim_max);
	fake.count_files = 1;
	c = opened(256);
	assert_int_equal(facts_of(c).cpus_covered, facts_of(c).cpus_wanted);
	sd_trace_stop(c);
	assert_int_equal(sd_trace_keep(c), 0);
	getrlimit(RLIMIT_NOFILE, &now);
	assert_int_equal(now.rlim_cur, 256);
	sd_trace_close(c);
	limit_files(before.rlim_cur, before.rlim_max);
}

static void too_few_files_cover_fewer_cpus_and_say_so(void **state)
{
	struct rlimit before;
	struct sd_capture *c;
	struct sd_trace_facts f;

	(void)state;
	/* the hard limit cannot be raised again: as the fake's others have all but 64 */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit_files(before.rlim_max, before.rlim_max);
	fake.count_files = 1;
	fake.open = (unsigned)before.rlim_max - 24 - 64;
	c = opened(256);
	f = facts_of(c);
	assert_int_equal(f.cpus_wanted, 256 + elsewhere());
	assert_int_equal(f.cpus_covered, 64 / 3 + 64 % 3); /* the last with one event, elsewhere */
	sd_trace_close(c);
	fake.open -= (unsigned)before.rlim_max - 24 - 64;
	limit_files(before.rlim_cur, before.rlim_max);
}

static void little_locked_memory_gives_smaller_rings_then_fewer(void **state)
{
	struct sd_capture *c;
	struct sd_trace_facts f;

	(void)state;
	fake.lockable = 129u << 20;
	c = opened(256);
	f = facts_of(c);
	assert_int_equal(f.cpus_covered, f.cpus_wanted);
	assert_true(fake.locked >= 64u << 20);
	sd_trace_close(c);
	fake.lockable = 1u << 20;
	c = opened(256);
	f = facts_of(c);
	assert_int_equal(f.cpus_wanted, 256 + elsewhere());
	assert_int_equal(f.cpus_covered, 16);
	sd_trace_close(c);
	fake.lockable = 1000;
	assert_int_equal(open_on(&c, 2, (struct sd_trace_options){0}), -ENOMEM);
}

static void an_expected_length_lowers_the_rate_to_the_bound(void **state)
{
	struct sd_capture *c;
	const struct sd_trace_options o = {.expect_s = 100, .bytes = 16u << 20};

	(void)state;
	assert_int_equal(open_on(&c, 4, o), 0);
	/* of 1 KB at least each */
	assert_true(facts_of(c).hz * 4 * 100 * 1024 < 16u << 20);
	assert_true(facts_of(c).hz > 1);
	sd_trace_close(c);
}

/* ---- records ---- */

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

static void put_name(const char text[8], uint16_t misc)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_COMM, misc);

	fake_u32(r, PID);
	fake_u32(r, PID);
	fake_bytes(r, text, 8);
	fake_trailer(r, FIRST, PID, 31);
	fake_end(r, FIRST, 0);
}

static void put_map_marked(int with_id, uint16_t misc)
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

static void put_map(int with_id)
{
	put_map_marked(with_id, with_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
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

/* What a CPU may write before it is read leaves a quarter of its ring to other records. */
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

/* ---- the file ---- */

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
	struct sd_capture *c, *again;
	const struct seen *s;

	(void)state;
	assert_true(tmp >= 0);
	close(tmp);
	assert_int_equal(open_on(&c, 2, (struct sd_trace_options){.keep = path}), 0);
	fake_end(fake_sample(fake_clock(FIRST), PID, 100, 1), FIRST, 0);
	sd_trace_stop(c);
	assert_int_equal(sd_trace_note(c, &barrier), 0);
	assert_int_equal(sd_trace_note(c, &end), 0);
	assert_int_equal(sd_trace_keep(c), 0);
	sd_trace_close(c);
	assert_int_equal(sd_capture_from_file(&again, path), 0);
	s = replayed(again);
	assert_int_equal(s->n, 3);
	assert_int_equal(s->event[1].kind, SD_EVENT_BARRIER);
	assert_int_equal(s->event[1].pid, PID);
	assert_true(s->event[1].address == barrier.address);
	assert_int_equal(s->event[1].count, 2);
	assert_int_equal(s->event[2].kind, SD_EVENT_END);
	assert_int_equal(s->event[2].time, 2000);
	assert_string_equal(s->name[2], "a-boot");
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
	before = *stopped(c);
	assert_int_equal(sd_capture_from_file(&again, path), 0);
	assert_int_equal(facts_of(again).n_samples, 200);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, nothing_is_left_open)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_denied_in_part_is_a_fact),
		TEST(everything_allowed_is_ok),
		TEST(no_tracefs_costs_only_the_wakers),
		TEST(a_kernel_without_build_ids_maps_without),
		TEST(a_build_id_that_was_not_asked_for_is_none),
		TEST(denied_in_whole_is_the_error),
		TEST(an_offline_cpu_is_not_wanted),
		TEST(the_soft_limit_on_files_is_raised_and_put_back),
		TEST(too_few_files_cover_fewer_cpus_and_say_so),
		TEST(little_locked_memory_gives_smaller_rings_then_fewer),
		TEST(an_expected_length_lowers_the_rate_to_the_bound),
		TEST(records_that_wrap_around_the_ring_are_whole),
		TEST(events_of_all_cpus_come_in_the_order_of_time),
		TEST(a_switch_has_its_stack_even_over_two_drains),
		TEST(wakes_name_both_threads),
		TEST(tasks_names_and_maps_are_told),
		TEST(what_is_not_of_the_tree_is_dropped),
		TEST(events_of_whole_cpus_are_copied_to_no_thread),
		TEST(a_cpu_that_switches_too_often_has_fewer_stacks_while_it_does),
		TEST(stacks_of_switches_never_fill_a_ring),
		TEST(a_cpu_that_switches_far_too_often_is_watched_in_windows),
		TEST(lost_records_are_counted_and_told),
		TEST(what_was_lost_last_is_counted_too),
		TEST(a_kernel_that_does_not_say_its_losses_records_all_else),
		TEST(records_of_wrong_sizes_are_skipped_and_counted),
		TEST(near_the_bound_samples_are_fewer_and_their_weights_sum_up),
		TEST(beyond_the_bound_switches_are_lost_but_not_mappings),
		TEST(a_kept_file_gives_the_same_events),
		TEST(notes_of_the_recorder_come_last_in_a_kept_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
