/* Samples by events of roles: which of them are opened and how, what each sample's record is, and
 * the counts by code that come out. */
#include "probes/memory_machine.h"
#include "memory/event_table.h"
#include "pmu/counter_set.h"

enum { CYCLES, WALKS, STORE_WALKS, UNCORE, EVENTS };
#ifdef __x86_64__
enum { PRECISE = 2 };
#else
enum { PRECISE = 0 }; /* the kernel takes any number, and samples are late all the same */
#endif
static const uint64_t config[EVENTS] = {0x11, 0x85, 0x49, 0x4};

/* Roles as the counters' plan leaves them: one of one event, one of two, one of a socket. */
struct counting {
	struct sd_role_events_event event[EVENTS];
	struct sd_role_events_role role[3];
	struct sd_counting c;
};

static void make_counting(struct counting *m)
{
	static const enum sd_role id[3] = {
		SD_ROLE_CYCLES, SD_ROLE_DTLB_WALKS, SD_ROLE_DRAM_READ_LINES};
	static const size_t from[3] = {CYCLES, WALKS, UNCORE}, n[3] = {1, 2, 1};

	*m = (struct counting){.c = {.role = m->role, .n_role = 3, .source = "made-up"}};
	for (size_t i = 0; i < EVENTS; i++)
		m->event[i] = (struct sd_role_events_event){.weight = i == STORE_WALKS ? 2 : 1,
			.attr = {.size = sizeof m->event[i].attr,
				.type = PERF_TYPE_RAW,
				.config = config[i],
				.disabled = 1,
				.exclude_kernel = 1}};
	for (size_t i = 0; i < 3; i++)
		m->role[i] =
			(struct sd_role_events_role){.count = {.role = id[i], .value = SD_OK(0)},
				.where = i == 2 ? SD_ROLE_EVENTS_SOCKETS : SD_ROLE_EVENTS_TREE,
				.leader = SD_ROLE_COUNT,
				.event = &m->event[from[i]],
				.n = n[i]};
}

static const struct sd_event_ask asked[] = {{SD_ROLE_CYCLES, 2000003}, {SD_ROLE_DTLB_WALKS, 1009},
	{SD_ROLE_DRAM_READ_LINES, 1009}, {SD_ROLE_HITM_LOAD, 1009}};

static struct sd_memsource *source_of(struct counting *m)
{
	struct sd_memsource *s = NULL;

	make_counting(m);
	assert_int_equal(sd_event_source_open(&s, &m->c, asked, 4), 0);
	assert_int_equal(fake.open, 0);
	return s;
}

static int begin_events(struct run *r, struct counting *m, unsigned cpus)
{
	return begin_with(r, source_of(m), SD_RUN_EVENTS, cpus);
}

static struct fake_record *sample_of(unsigned cpu, int event, uint64_t ip, uint64_t time)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	fake_u64(r, (uint64_t)fake_find(cpu, PERF_TYPE_RAW, config[event]));
	fake_u64(r, ip);
	fake_u32(r, PID);
	fake_u32(r, PID);
	fake_u64(r, time);
	fake_u64(r, 1); /* period */
	return r;
}

static int ring_of(unsigned cpu)
{
	return fake_find(cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}

static double events_of(const struct sd_event_sampled *e, enum sd_role role)
{
	double sum = 0;

	for (size_t i = 0; i < e->n_place; i++)
		sum += e->place[i].role == role ? e->place[i].events : 0;
	return sum;
}

static void roles_that_threads_count_are_sampled_as_precisely_as_the_pmu_can(void **state)
{
	struct counting m;
	struct sd_memsource *s = source_of(&m);

	(void)state;
	/* what a socket counts, and what is not counted, no thread's code causes */
	assert_int_equal(s->n, 3);
	assert_string_equal(sd_access_source_name(s), "made-up");
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->event[i].attr.precise_ip, PRECISE);
		assert_int_equal(s->event[i].attr.exclude_kernel, 1);
		assert_int_equal(s->event[i].attr.freq, 0);
		assert_int_equal(s->event[i].attr.sample_period, i ? 1009 : 2000003);
	}
	sd_access_source_free(s);
	fake.no_precise = 1;
	s = source_of(&m);
	assert_int_equal(s->n, 3);
	for (size_t i = 0; i < s->n; i++)
		assert_int_equal(s->event[i].attr.precise_ip, 0);
	sd_access_source_free(s);
	fake.error = -EACCES;
	assert_int_equal(sd_event_source_open(&s, &m.c, asked, 4), -ENODEV);
	assert_null(s);
}

static void samples_are_counted_by_code_and_role(void **state)
{
	const struct sd_event_sampled *e;
	struct fake_record *f;
	struct counting m;
	struct run r;

	(void)state;
	assert_int_equal(begin_events(&r, &m, 2), 0);
	put_exec(ring_of(CPU), PID, 5);
	for (uint64_t i = 0; i < 6; i++) {
		assert_true(fake_put(sample_of(CPU, CYCLES, 0x401000, 10 + i), ring_of(CPU), 0));
		assert_true(
			fake_put(sample_of(CPU + 1, WALKS, 0x402000, 10 + i), ring_of(CPU + 1), 0));
	}
	assert_true(fake_put(sample_of(CPU, STORE_WALKS, 0x402000, 30), ring_of(CPU), 0));
	/* late: it interrupted the kernel */
	f = sample_of(CPU, CYCLES, UINT64_C(0xffffffff81000000), 31);
	((struct perf_event_header *)(void *)f->byte)->misc = PERF_RECORD_MISC_KERNEL;
	assert_true(fake_put(f, ring_of(CPU), 0));
	/* of another shape */
	f = sample_of(CPU, CYCLES, 0x401000, 32);
	fake_u64(f, 0);
	assert_true(fake_put(f, ring_of(CPU), 0));
	tick(&r);
	sd_probe_memory_access.stop(r.probe, &r.result);
	e = r.result.events;
	assert_non_null(e);
	assert_null(r.result.memory);
	assert_int_equal(e->status, SD_STATUS_OK);
	assert_string_equal(e->source, "made-up");
	assert_int_equal(e->cpus_covered, 2);
	assert_int_equal(e->lost, 1);
	assert_int_equal(e->n_period, 3);
	assert_int_equal(e->period[0].samples, 6);
	assert_int_equal(e->period[0].precise, PRECISE != 0);
	assert_int_equal(e->period[1].samples, 6);
	assert_int_equal(e->period[2].samples, 1);
	assert_true(e->period[0].running == 1);
	/* a count of the fake PMU is 1 on each CPU */
	assert_true(e->period[0].count == 2);
	assert_true(events_of(e, SD_ROLE_CYCLES) == 6 * 2000003.);
	/* a role is the weighted sum of its events */
	assert_true(events_of(e, SD_ROLE_DTLB_WALKS) == (6 + 2) * 1009.);
	done(&r);
}

static void what_cannot_be_opened_says_why(void **state)
{
	struct counting m;
	struct run r;

	(void)state;
	fake.lockable = 1000;
	assert_int_equal(begin_events(&r, &m, 2), -ENOMEM);
	assert_non_null(r.result.events);
	assert_null(r.result.memory);
	assert_int_equal(r.result.events->status, SD_STATUS_ABSENT);
	assert_non_null(strstr(r.result.events->why, "locked"));
	done(&r);
}

static double sum_of(const struct sd_event_table *t, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->code[i].samples[event];
	return sum;
}

/* However many instructions are sampled, memory is bounded, and no sample is lost. */
static void code_beyond_the_bound_is_added_up(void **state)
{
	const struct sd_counter_read_reading half = {.value = 9, .enabled = 100, .running = 50};
	struct sd_event_sampled out = {.n_place = 0};
	struct sd_line_table none = {.bytes = 64};
	struct sd_event_table t = {.n = 0};
	struct sd_memsource s = {.n = 1, .by_code = 1};
	const unsigned n = SD_EVENT_TABLE_MOST + 1000;

	(void)state;
	s.event[0] = (struct sd_memevent){
		.role = SD_ROLE_CYCLES, .weight = 1, .attr = {.sample_period = 1000}};
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(sd_event_table_add(&t, 0, 16 * (uint64_t)i, 0), 0);
	assert_int_equal(t.n, SD_EVENT_TABLE_MOST);
	assert_true(sum_of(&t, 0) == n);
	assert_true(t.code[0].samples[0] == 1001); /* [0] is no code's own */
	assert_int_equal(sd_event_table_fill(&t, &none, &s, &half, NULL, NULL, &out), 0);
	/* its counter ran half of the time */
	assert_true(out.period[0].running == .5);
	assert_true(events_of(&out, SD_ROLE_CYCLES) == 2 * 1000. * n);
	assert_true(out.n_place <= SD_EVENT_PLACES);
	free(out.period);
	free(out.place);
	sd_event_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(roles_that_threads_count_are_sampled_as_precisely_as_the_pmu_can),
		TEST(samples_are_counted_by_code_and_role),
		TEST(what_cannot_be_opened_says_why),
		TEST(code_beyond_the_bound_is_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
