/* Sampled loads and stores: what each kind of hardware writes, byte by byte, and the lines that
 * come out; what a kernel refuses. */
#include "probes/memory_machine.h"
#include "memory/line_table.h"

/* ---- a run ----------------------------------------------------------------------------------- */

/* The event of a CPU that has the ring. */
static int side(unsigned cpu)
{
	return fake_find(cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}

static void put_fork(int leader, int pid, int tid, uint64_t time)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_FORK, 0);

	fake_u32(r, (uint32_t)pid);
	fake_u32(r, PID);
	fake_u32(r, (uint32_t)tid);
	fake_u32(r, PID);
	fake_u64(r, time);
	trailer(r, pid, tid, time);
	assert_true(fake_put(r, leader, 0));
}

/* union perf_mem_data_src */
#define OP(x) ((uint64_t)PERF_MEM_OP_##x << PERF_MEM_OP_SHIFT)
#define S(field, x) ((uint64_t)PERF_MEM_##field##_##x << PERF_MEM_##field##_SHIFT)
#define HITM_LOCAL (OP(LOAD) | S(LVL, HIT) | S(LVL, L3) | S(SNOOP, HITM))
#define HITM_REMOTE (OP(LOAD) | S(LVL, HIT) | S(LVL, REM_CCE1) | S(REMOTE, REMOTE) | S(SNOOP, HITM))
#define L1_HIT (OP(LOAD) | S(LVL, HIT) | S(LVL, L1) | S(SNOOP, NONE))
#define STORE (OP(STORE) | S(LVL, HIT) | S(LVL, L1))

static struct fake_record *sample(int tid, uint64_t time, uint64_t address, uint64_t source)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	fake_u64(r, 7);        /* identifier */
	fake_u64(r, 0x401000); /* ip */
	fake_u32(r, PID);
	fake_u32(r, (uint32_t)tid);
	fake_u64(r, time);
	fake_u64(r, address);
	fake_u64(r, 1000); /* period */
	fake_u64(r, 120);  /* weight */
	fake_u64(r, source);
	return r;
}

static void put_sample(int leader, int tid, uint64_t time, uint64_t address, uint64_t source)
{
	assert_true(fake_put(sample(tid, time, address, source), leader, 0));
}

static void lines_of_two_threads_tell_false_from_true_sharing(void **state)
{
	const struct sd_memory_sampled *m;
	struct run r;

	(void)state;
	intel(85);
	assert_int_equal(begin(&r, 2), 0);
	put_exec(side(CPU), PID, 5);
	for (uint64_t i = 0; i < 20; i++) {
		/* each its own word: 0 and 8 */
		put_sample(side(CPU), PID, 10 + i, LINE, HITM_LOCAL);
		put_sample(side(CPU), PID, 10 + i, LINE, STORE);
		put_sample(side(CPU + 1), PID + 1, 10 + i, LINE + 8, HITM_REMOTE);
		put_sample(side(CPU + 1), PID + 1, 10 + i, LINE + 8, STORE);
		/* the same word */
		put_sample(side(CPU), PID, 10 + i, LINE + 128, i % 2 ? HITM_LOCAL : L1_HIT);
		put_sample(side(CPU + 1), PID + 1, 10 + i, LINE + 128, STORE);
	}
	put_sample(side(CPU), PID, 40, LINE + 64, HITM_LOCAL); /* one thread alone */
	put_sample(side(CPU), PID, 40, 0, HITM_LOCAL);         /* no address */
	tick(&r);
	m = end(&r);
	assert_int_equal(m->status, SD_STATUS_OK);
	assert_int_equal(m->loads, 20 * 3 + 2);
	assert_int_equal(m->stores, 20 * 3);
	assert_int_equal(m->local, 20 + 10 + 2);
	assert_int_equal(m->remote, 20);
	assert_int_equal(m->unplaced, 1);
	assert_int_equal(m->lost, 0);
	assert_int_equal(m->n_thread, 2);
	assert_int_equal(m->n_contested, 3);
	assert_true(m->contested[0].line.address == LINE);
	assert_int_equal(m->contested[0].line.sharing, SD_SIM_FALSE);
	assert_int_equal(m->contested[0].local, 20);
	assert_int_equal(m->contested[0].remote, 20);
	assert_true(m->contested[0].cycles.value == 120);
	assert_int_equal(
		m->contested[0].line.sharer[0].read | m->contested[0].line.sharer[1].read, 0x101);
	assert_int_equal(
		m->contested[0].line.sharer[0].read & m->contested[0].line.sharer[1].read, 0);
	assert_true(m->contested[1].line.address == LINE + 128);
	assert_int_equal(m->contested[1].line.sharing, SD_SIM_TRUE);
	assert_int_equal(m->contested[2].line.sharing, SD_SIM_UNTOLD);
	done(&r);
}

static void amd_and_intel_say_in_their_own_way_who_answered(void **state)
{
	static const struct {
		uint64_t source;
		enum sd_memfrom from;
	} row[] = {
		{HITM_LOCAL, SD_MEMFROM_LOCAL},
		{HITM_REMOTE, SD_MEMFROM_REMOTE},
		{L1_HIT, SD_MEMFROM_OTHER},
		{STORE, SD_MEMFROM_OTHER},
		/* a clean line of another core */
		{OP(LOAD) | S(LVL, L3) | S(LVL, HIT) | S(SNOOP, HIT), SD_MEMFROM_OTHER},
		/* IBS: its L3 or a core of its complex, the state not told, or modified */
		{OP(LOAD) | S(LVL, L3) | S(LVL, REM_CCE1) | S(LVL, HIT) | S(HOPS, 0) | S(SNOOP, NA),
			SD_MEMFROM_OTHER},
		{OP(LOAD) | S(LVL, L3) | S(LVL, REM_CCE1) | S(LVL, HIT) | S(HOPS, 0) |
				S(SNOOP, HITM),
			SD_MEMFROM_LOCAL},
		/* IBS of Zen 4: another complex of the node; another node */
		{OP(LOAD) | S(LVL, REM_CCE1) | S(LVL, HIT) | S(REMOTE, REMOTE) | S(HOPS, 0) |
				S(SNOOP, HITM),
			SD_MEMFROM_LOCAL},
		{OP(LOAD) | S(LVL, REM_CCE2) | S(LVL, HIT) | S(REMOTE, REMOTE) | S(HOPS, 1) |
				S(SNOOP, HITM),
			SD_MEMFROM_REMOTE},
		{OP(LOAD) | S(LVL, REM_CCE2) | S(LVL, HIT) | S(REMOTE, REMOTE) | S(HOPS, 1) |
				S(SNOOP, NA),
			SD_MEMFROM_PEER},
		{OP(LOAD) | S(LVL, L3) | S(SNOOPX, PEER), SD_MEMFROM_PEER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (sd_sampled_access_from(row[i].source) != row[i].from)
			fail_msg("row %zu is %d", i, sd_sampled_access_from(row[i].source));
}

static void of_whole_cpus_strangers_and_the_kernel_are_dropped(void **state)
{
	const struct sd_memory_sampled *m;
	struct fake_record *kernel;
	struct run r;

	(void)state;
	amd(25, 17);
	own_pmu("ibs_op");
	fake.no_filter = fake.no_task = 1;
	assert_int_equal(begin(&r, 1), 0);
	put_exec(side(CPU), PID, 5);
	put_fork(side(CPU), PID, PID + 1, 6);
	put_sample(side(CPU), PID, 10, LINE, HITM_LOCAL);
	put_sample(side(CPU), PID + 1, 11, LINE + 8, HITM_LOCAL);
	put_sample(side(CPU), 77, 12, LINE + 16, HITM_LOCAL);
	kernel = sample(PID, 13, LINE, HITM_LOCAL);
	((struct perf_event_header *)(void *)kernel->byte)->misc = PERF_RECORD_MISC_KERNEL;
	assert_true(fake_put(kernel, side(CPU), 0));
	m = end(&r);
	assert_string_equal(m->source, "ibs_op");
	assert_int_equal(m->loads, 2);
	assert_int_equal(m->local, 2);
	done(&r);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static void records_of_wrong_sizes_are_counted_and_skipped(void **state)
{
	const struct sd_memory_sampled *m;
	struct fake_record *f;
	struct run r;

	(void)state;
	intel(85);
	assert_int_equal(begin(&r, 1), 0);
	f = sample(PID, 10, LINE, HITM_LOCAL);
	fake_u64(f, 0); /* a field too many */
	assert_true(fake_put(f, side(CPU), 0));
	f = sample(PID, 10, LINE, HITM_LOCAL);
	f->n -= 8; /* one too few */
	assert_true(fake_put(f, side(CPU), 0));
	put_sample(side(CPU), PID, 11, LINE, HITM_LOCAL);
	f = sample(PID, 12, LINE, HITM_LOCAL);
	assert_true(fake_put(f, side(CPU), 4)); /* less than a header: the rest is lost */
	m = end(&r);
	assert_int_equal(m->loads, 1);
	assert_int_equal(m->lost, 3);
	done(&r);
}

static void what_was_before_an_exec_gets_no_name(void **state)
{
	struct sd_line_table m = {.bytes = 64};
	struct sd_sampled_access a = {
		.pid = PID, .tid = PID, .time = 10, .address = LINE, .from = SD_MEMFROM_LOCAL};

	(void)state;
	assert_int_equal(sd_line_table_exec(&m, PID, 5), 0);
	assert_int_equal(sd_line_table_add(&m, &a), 0);
	assert_int_equal(sd_line_table_exec(&m, PID, 20), 0);
	a.time = 19; /* read late */
	assert_int_equal(sd_line_table_add(&m, &a), 0);
	a.time = 21;
	assert_int_equal(sd_line_table_add(&m, &a), 0);
	sd_line_table_sort(&m);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.line[0].local, 2);
	assert_true(m.space[m.line[0].space].gone);
	assert_false(m.space[m.line[1].space].gone);
	sd_line_table_free(&m);
}

static void lines_beyond_the_bound_make_room_for_those_that_move(void **state)
{
	struct sd_line_table m = {.bytes = 64};
	struct sd_sampled_access a = {.pid = PID, .tid = PID, .time = 10};

	(void)state;
	for (uint64_t i = 0; i < 3 * SD_LINE_TABLE_MOST; i++) {
		a.address = LINE + 64 * i;
		a.from = i % 1000 == 0 ? SD_MEMFROM_LOCAL : SD_MEMFROM_OTHER;
		assert_int_equal(sd_line_table_add(&m, &a), 0);
		assert_true(m.n <= SD_LINE_TABLE_MOST);
	}
	assert_int_equal(m.loads, 3 * SD_LINE_TABLE_MOST);
	sd_line_table_sort(&m);
	for (size_t i = 0; i < (3 * SD_LINE_TABLE_MOST + 999) / 1000; i++)
		assert_int_equal(m.line[i].local, 1);
	sd_line_table_free(&m);
}

static void little_locked_memory_and_few_files_cover_fewer_of_256_cpus(void **state)
{
	const struct sd_memory_sampled *m;
	struct rlimit before;
	struct run r;

	(void)state;
	intel(85);
	fake.lockable = 16u << 20; /* as large as the rings of all would be */
	assert_int_equal(begin(&r, 256), 0);
	assert_int_equal(end(&r)->cpus_covered, 256);
	done(&r);
	fake.lockable = 4u << 20; /* smaller ones for all */
	assert_int_equal(begin(&r, 256), 0);
	assert_int_equal(end(&r)->cpus_covered, 256);
	done(&r);
	fake.lockable = 1u << 20; /* the smallest for some */
	assert_int_equal(begin(&r, 256), 0);
	m = end(&r);
	assert_int_equal(m->cpus_covered, 128);
	assert_int_equal(m->cpus_wanted, 256);
	assert_non_null(strstr(m->why, "128 of 256 CPUs"));
	done(&r);
	fake.lockable = 1000;
	assert_int_equal(begin(&r, 2), -ENOMEM);
	assert_int_equal(r.result.memory->status, SD_STATUS_ABSENT);
	assert_non_null(strstr(r.result.memory->why, "locked"));
	done(&r);
	fake.lockable = 0;
	/* the hard limit cannot be raised: as if others had all files but 30 */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){before.rlim_max, before.rlim_max}), 0);
	fake.count_files = 1;
	fake.open = (unsigned)before.rlim_max - 24 - 30;
	r = (struct run){.now = 0};
	fake.open -= 0;
	{
		const unsigned others = fake.open;

		fake.count_files = 0;
		fake.open = 0;
		r.source = opened();
		fake.open = others;
		fake.count_files = 1;
	}
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(sd_cpulist_add(&r.cpus, CPU + i), 0);
	assert_int_equal(sd_probe_memory_access.open(&r.probe, &(struct sd_probe_target){.pid = PID,
								       .cpus = &r.cpus,
								       .memory = r.source,
								       .stacks = &r.stacks,
								       .root = root}),
		0);
	m = end(&r);
	assert_int_equal(m->cpus_covered, 10); /* three events each */
	assert_int_equal(m->cpus_wanted, 256);
	done(&r);
	fake.open -= (unsigned)before.rlim_max - 24 - 30;
	setrlimit(RLIMIT_NOFILE, &before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(lines_of_two_threads_tell_false_from_true_sharing),
		TEST(amd_and_intel_say_in_their_own_way_who_answered),
		TEST(of_whole_cpus_strangers_and_the_kernel_are_dropped),
		TEST(records_of_wrong_sizes_are_counted_and_skipped),
		TEST(what_was_before_an_exec_gets_no_name),
		TEST(lines_beyond_the_bound_make_room_for_those_that_move),
		TEST(little_locked_memory_and_few_files_cover_fewer_of_256_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
