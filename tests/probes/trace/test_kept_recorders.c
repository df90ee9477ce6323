/*
 * Recorders of whole CPUs from run to run of a session.
 */
#include <sys/mman.h>

#include "probes/trace/trace_on.h"
#include "trace/kept_recorders.h"

static struct sd_capture *opened_with(struct sd_kept_recorders *k, unsigned n, double hz)
{
	struct sd_capture *c;

	assert_int_equal(open_on(&c, n, (struct sd_trace_options){.kept = k, .hz = hz}), 0);
	return c;
}

static int wide_setup(void **state)
{
	setup(state);
	fake.no_wide = 0;
	return 0;
}

static struct fake_ring_event *event_of(unsigned cpu, uint64_t config)
{
	return &fake.event[fake_find(cpu, PERF_TYPE_SOFTWARE, config) - FAKE_FD];
}

static unsigned running(void)
{
	unsigned n = 0;

	for (int i = 0; i < FAKE_EVENTS; i++)
		n += fake.event[i].used && !fake.event[i].off;
	return n;
}

/* One switch with its stack, as of a run. */
static void put_switch(uint64_t time)
{
	const int fd = fake_find(FIRST, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);

	put_name("abc\0\0\0\0", PERF_RECORD_MISC_COMM_EXEC);
	fake_end(fake_sample(fd, PID, time, 7), FIRST, 0);
	fake_switch_wide(FIRST, PID, time, PERF_RECORD_MISC_SWITCH_OUT);
}

static size_t stacks_of(const struct seen *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->event[i].kind == SD_EVENT_SWITCH_OUT && s->fill[i] == 7;
	return n;
}

static void the_next_run_has_the_same_ones_and_only_its_own_records(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c = opened_with(&kept, 2, 0);
	const unsigned open = fake.open, all = running();
	struct fake_ring_event *const stacks = event_of(FIRST, PERF_COUNT_SW_CONTEXT_SWITCHES);
	const long allowed = stacks->allowed;

	(void)state;
	for (int run = 0; run < 3; run++) {
		put_switch(40);
		put_switch(41);
		assert_int_equal(stacks_of(stopped(c)), 2);
		sd_trace_close(c);
		/* between the runs they are open, and nothing is recorded */
		assert_int_equal(fake.open, open);
		assert_int_equal(running(), 0);
		c = opened_with(&kept, 2, 0);
		assert_int_equal(fake.open, open);
		assert_int_equal(running(), all);
		/* as many as were read may be written again */
		assert_int_equal(stacks->allowed, allowed + 2 * (run + 1));
	}
	assert_int_equal(stopped(c)->n, 0);
	sd_trace_close(c);
	sd_kept_recorders_free(&kept);
}

/* The memory that runs are recorded in is there since the first one, and does not grow. */
static void the_next_run_is_recorded_in_the_same_memory(void **state)
{
	struct sd_kept_recorders kept = {0};
	size_t first = 0;

	(void)state;
	for (int run = 0; run < 100; run++) {
		struct sd_capture *const c = opened_with(&kept, 2, 0);
		const size_t spare = kept.chunks.n;

		assert_int_equal(spare, first);
		put_switch(40);
		assert_int_equal(stacks_of(stopped(c)), 1);
		assert_true(run == 0 || kept.chunks.n < spare);
		sd_trace_close(c);
		first = run ? first : kept.chunks.n;
		assert_int_equal(kept.chunks.n, first);
	}
	assert_true(first > 0 && first <= SD_SPARE_CHUNKS);
	sd_kept_recorders_free(&kept);
	assert_int_equal(kept.chunks.n, 0);
}

static void of_fewer_cpus_the_others_wait(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c = opened_with(&kept, 2, 0);
	const unsigned open = fake.open, all = running();

	(void)state;
	sd_trace_stop(c);
	sd_trace_close(c);
	c = opened_with(&kept, 1, 0);
	assert_int_equal(fake.open, open);
	assert_int_equal(running(), all / 2);
	sd_trace_stop(c);
	sd_trace_close(c);
	c = opened_with(&kept, 3, 0);
	assert_int_equal(fake.open, open / 2 * 3);
	sd_trace_stop(c);
	sd_trace_close(c);
	sd_kept_recorders_free(&kept);
}

/* Another rate is another period of the clocks, which begin a whole one. */
static void the_clock_begins_anew(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c = opened_with(&kept, 1, 200);

	(void)state;
	assert_int_equal(event_of(FIRST, PERF_COUNT_SW_CPU_CLOCK)->attr.sample_period, 5000000);
	sd_trace_stop(c);
	sd_trace_close(c);
	c = opened_with(&kept, 1, 100);
	assert_int_equal(event_of(FIRST, PERF_COUNT_SW_CPU_CLOCK)->every, 10000000);
	sd_trace_stop(c);
	sd_trace_close(c);
	sd_kept_recorders_free(&kept);
}

static void with_losses_they_are_not_kept(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c = opened_with(&kept, 1, 0);

	(void)state;
	event_of(FIRST, PERF_COUNT_SW_CONTEXT_SWITCHES)->lost = 3;
	sd_trace_stop(c);
	assert_int_equal(facts_of(c).n_lost, 3);
	sd_trace_close(c);
	assert_int_equal(fake.open, 0);
	sd_kept_recorders_free(&kept);
}

static void events_of_threads_end_with_them(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c;

	(void)state;
	fake.no_wide = 1;
	c = opened_with(&kept, 2, 0);
	sd_trace_stop(c);
	assert_int_equal(fake.open, 0);
	sd_trace_close(c);
	sd_kept_recorders_free(&kept);
}

static void what_may_be_locked_is_this_run_s(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c = opened_with(&kept, 2, 0);

	(void)state;
	sd_trace_stop(c);
	sd_trace_close(c);
	/* room for the rings that there are, and for no other of that size */
	fake.lockable = fake.locked;
	c = opened_with(&kept, 4, 0);
	assert_int_equal(facts_of(c).cpus_covered, 4);
	sd_trace_stop(c);
	sd_trace_close(c);
	sd_kept_recorders_free(&kept);
}

static size_t ring_of(unsigned cpu)
{
	return event_of(cpu, PERF_COUNT_SW_CPU_CLOCK)->ring.size;
}

static void one_run(struct sd_kept_recorders *k, unsigned n, size_t *ring)
{
	struct sd_capture *const c = opened_with(k, n, 0);

	*ring = ring_of(FIRST);
	sd_trace_stop(c);
	sd_trace_close(c);
}

/* A program that does nothing needs no room, on as many CPUs as it was seen on; also when all
 * recorders were dropped. */
static void rings_are_made_for_what_was_written(void **state)
{
	struct sd_kept_recorders kept = {0};
	size_t first, idle, wider;

	(void)state;
	one_run(&kept, 2, &first);
	sd_kept_recorders_free(&kept);
	one_run(&kept, 2, &idle);
	assert_true(idle < first);
	sd_kept_recorders_free(&kept);
	one_run(&kept, 3, &wider);
	assert_int_equal(wider, first);
	sd_kept_recorders_free(&kept);
}

static void after_a_loss_they_are_larger_up_to_a_bound(void **state)
{
	struct sd_kept_recorders kept = {0};
	size_t before = 0, first = 0, ring = 0;

	(void)state;
	for (int run = 0; run < 6; run++) {
		struct sd_capture *const c = opened_with(&kept, 1, 0);

		before = ring;
		ring = ring_of(FIRST);
		first = run ? first : ring;
		if (run == 1)
			assert_true(ring > first);
		assert_true(ring >= before);
		event_of(FIRST, PERF_COUNT_SW_CONTEXT_SWITCHES)->lost = 3;
		sd_trace_stop(c);
		sd_trace_close(c);
	}
	assert_int_equal(ring, before);
	sd_kept_recorders_free(&kept);
}

#define MIB ((size_t)1 << 20)

/* A ring holds a sampled second of a busy CPU, and twice what else it wrote in a long run. */
static void what_a_ring_must_hold_grows_with_the_rate(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_ring_use_of_run use = {
		.cpus = 128, .seconds = 10, .sampling = 3e6, .bytes = 30e6, .samples = 1};
	size_t ring, most = 8 * MIB;

	(void)state;
	/* nothing is known: all together have a bound */
	assert_int_equal(sd_kept_recorders_ring(NULL, 3e6, most, 2), most);
	ring = sd_kept_recorders_ring(&kept, 3e6, most, 128);
	assert_true(ring < most && ring * 128 <= 256 * MIB);
	/* a busy CPU, as often: two seconds of it, which are nearly 6 MiB */
	sd_kept_recorders_used(&kept, &use);
	assert_int_equal(sd_kept_recorders_ring(&kept, 3e6, most, 128), most);
	/* less often, as on many CPUs */
	ring = sd_kept_recorders_ring(&kept, .3e6, most, 128);
	assert_true(ring >= MIB && ring < most);
	/* what is not of samples stays */
	use.samples = 0;
	sd_kept_recorders_used(&kept, &use);
	assert_int_equal(sd_kept_recorders_ring(&kept, .3e6, most, 128), most);
	/* and never less than there was */
	use.bytes = 0;
	sd_kept_recorders_used(&kept, &use);
	assert_int_equal(sd_kept_recorders_ring(&kept, .3e6, most, 128), most);
}

/* As the kernel's programs leave it: with records of a run, and some that came after its end. */
static struct sd_switch_ring *written_ring(void)
{
	struct sd_switch_ring *const ring = mmap(
		NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(ring != MAP_FAILED);
	ring->head = 100;
	ring->tail = 40;
	ring->stacks = 70;
	ring->on = 1;
	ring->known[5] = 9;
	return ring;
}

static void what_programs_wrote_ends_with_the_run(void **state)
{
	struct sd_kept_recorders kept = {0};
	struct sd_capture *c = opened_with(&kept, 1, 0);
	struct sd_switch_ring *const ring = written_ring();
	uint64_t room[2] = {0};

	(void)state;
	c->recorder[0].switches = ring;
	for (int run = 0; run < 2; run++) {
		sd_trace_stop(c);
		sd_trace_close(c);
		assert_int_equal(kept.n, 1);
		assert_int_equal(ring->on, 0);
		ring->head += 3;
		ring->stacks += 50;
		ring->known[6] = 7;
		c = opened_with(&kept, 1, 0);
		assert_ptr_equal(c->recorder[0].switches, ring);
		assert_int_equal(ring->on, 1);
		assert_int_equal(ring->tail, ring->head);
		assert_int_equal(ring->known[5] + ring->known[6], 0);
		/* as many stacks, in every run */
		room[run] = ring->allowed - ring->stacks;
		assert_true(ring->again > ring->stacks && ring->allowed > ring->again);
	}
	assert_int_equal(room[0], room[1]);
	sd_trace_stop(c);
	sd_trace_close(c);
	sd_kept_recorders_free(&kept);
	munmap(ring, sizeof *ring);
}

#define KEPT(name) cmocka_unit_test_setup_teardown(name, wide_setup, nothing_is_left_open)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEPT(the_next_run_has_the_same_ones_and_only_its_own_records),
		KEPT(the_next_run_is_recorded_in_the_same_memory),
		KEPT(of_fewer_cpus_the_others_wait),
		KEPT(the_clock_begins_anew),
		KEPT(with_losses_they_are_not_kept),
		KEPT(events_of_threads_end_with_them),
		KEPT(what_may_be_locked_is_this_run_s),
		KEPT(what_programs_wrote_ends_with_the_run),
		KEPT(rings_are_made_for_what_was_written),
		KEPT(after_a_loss_they_are_larger_up_to_a_bound),
		KEPT(what_a_ring_must_hold_grows_with_the_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
