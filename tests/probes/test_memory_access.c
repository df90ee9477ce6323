/* Sampled loads and stores: what each kind of hardware writes, byte by byte, and the lines that
 * come out; what a kernel refuses. */
#include "probes/probes.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <unistd.h>

#include "support/fakeproc.h"
#include "support/fakering.h"
#include "memory/line_table.h"
#include "probe/access_source.h"
#include "memory/access_state.h"
#include "trace/perf_records.h"
#include "record/stacks.h"

#define PID 100
#define CPU 1000u
#define LINE UINT64_C(0x7f0000001000)
#define OWN 11 /* the type of ibs_op and arm_spe in the fake sysfs */

static char root[64];

static int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	fake_make(root);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_remove(root);
	return fake.open || fake.rings || fake.locked;
}

static void intel(unsigned model)
{
#ifndef __x86_64__
	/* it has the events of the architecture it was built for */
	fprintf(stderr, "SKIP: Intel's precise events: this libpfm4 knows no x86\n");
	skip();
#endif
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %u\n"
		"stepping\t: 4\n",
		model);
}

static void amd(unsigned family, unsigned model)
{
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: %u\nmodel\t\t: %u\n"
		"stepping\t: 1\n",
		family, model);
}

static void arm(void)
{
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
		"CPU part\t: 0xd0c\nCPU revision\t: 1\n");
}

static void own_pmu(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/type", name);
	fake_write(root, path, "%d\n", OWN);
	fake.own = OWN;
}

static struct sd_memsource *opened(void)
{
	struct sd_memsource *s;
	char why[160];
	const int rc = sd_access_source_open(&s, root, NULL, why, sizeof why);

	if (rc)
		fail_msg("%s: %s", strerror(-rc), why);
	assert_int_equal(fake.open, 0);
	return s;
}

static void refused(int error, const char *words)
{
	struct sd_memsource *s;
	char why[160];

	assert_int_equal(sd_access_source_open(&s, root, NULL, why, sizeof why), error);
	assert_null(s);
	if (!strstr(why, words))
		fail_msg("'%s' is not in '%s'", words, why);
}

/* ---- what a machine has ---------------------------------------------------------------------- */

static void intel_samples_loads_and_stores_precisely(void **state)
{
	struct sd_memsource *s;

	(void)state;
	intel(85); /* Skylake-X */
	s = opened();
	assert_string_equal(sd_access_source_name(s), "mem-loads, mem-stores");
	assert_int_equal(s->n, 2);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->event[i].attr.precise_ip, 2);
		assert_int_equal(s->event[i].attr.sample_type, SD_MEM_SAMPLE);
		assert_true(s->event[i].attr.exclude_kernel);
	}
	assert_int_equal(s->event[0].attr.config, FAKE_LOADS);
	assert_int_equal(s->event[0].attr.config1, 30); /* cycles of latency */
	sd_access_source_free(s);
}

static void loads_of_sapphire_rapids_follow_their_leader(void **state)
{
	struct sd_memsource *s;

	(void)state;
	intel(143);
	fake.need_leader = 1;
	s = opened();
	assert_int_equal(s->n, 3);
	assert_int_equal(s->event[0].attr.config, FAKE_LOADS_AUX);
	assert_int_equal(s->event[0].attr.sample_type, 0);
	assert_int_equal(s->event[0].attr.sample_period, 0);
	assert_true(s->event[1].follows && !s->event[2].follows);
	sd_access_source_free(s);
}

static void without_precise_events_it_is_refused_with_a_word(void **state)
{
	(void)state;
	intel(85);
	fake.no_precise = 1;
	refused(-ENOTSUP, "the kernel refuses mem-loads");
	fake.error = -EACCES;
	fake.no_precise = 0;
	refused(-EACCES, "mem-loads is forbidden to this user");
	fake.error = 0;
	intel(15);
	refused(-ENODEV, "Core 2 carry no address");
}

static void ibs_asks_for_more_rights_where_the_kernel_is_older(void **state)
{
	struct sd_memsource *s;

	(void)state;
	amd(25, 17); /* Zen 4 */
	refused(-ENODEV, "no PMU ibs_op");
	own_pmu("ibs_op");
	s = opened();
	assert_int_equal(s->event[0].attr.type, OWN);
	assert_int_equal(s->event[0].attr.config2, 1);
	assert_true(s->event[0].attr.exclude_kernel && !s->wide);
	sd_access_source_free(s);
	fake.no_filter = 1;
	s = opened();
	assert_false(s->event[0].attr.exclude_kernel || s->wide);
	sd_access_source_free(s);
	fake.no_task = 1;
	s = opened();
	assert_true(s->wide);
	sd_access_source_free(s);
	fake.no_kernel = 1; /* perf_event_paranoid 2 */
	refused(-EACCES, "cannot leave itself out");
}

static void spe_has_a_period_and_packets(void **state)
{
	struct sd_memsource *s;

	(void)state;
	arm();
	refused(-ENODEV, "no PMU arm_spe");
	own_pmu("arm_spe_0");
	s = opened();
	assert_true(s->spe);
	assert_true(s->event[0].attr.sample_period >= 4096 && !s->event[0].attr.freq);
	assert_int_equal(s->event[0].attr.config & 1, 1); /* timestamps */
	assert_int_equal(s->peers, 1 << 9 | 1 << 10 | 1 << 12);
	assert_int_equal(s->far_peers, 1 << 13);
	sd_access_source_free(s);
}

/* ---- a run ----------------------------------------------------------------------------------- */

struct run {
	struct sd_memsource *source;
	struct sd_cpulist cpus;
	struct sd_stacks stacks;
	void *probe;
	struct sd_run result;
	uint64_t now;
};

static int begin(struct run *r, unsigned cpus)
{
	struct sd_probe_target target = {.pid = PID, .root = root};
	int rc;

	*r = (struct run){.source = opened()};
	for (unsigned i = 0; i < cpus; i++)
		assert_int_equal(sd_cpulist_add(&r->cpus, CPU + i), 0);
	target.cpus = &r->cpus;
	target.memory = r->source;
	target.stacks = &r->stacks;
	rc = sd_probe_memory_access.open(&r->probe, &target);
	if (rc)
		(sd_probe_memory_access.fail)(rc, &r->result);
	return rc;
}

static const struct sd_memory_sampled *end(struct run *r)
{
	sd_probe_memory_access.stop(r->probe, &r->result);
	sd_probe_memory_access.close(r->probe);
	r->probe = NULL;
	assert_non_null(r->result.memory);
	return r->result.memory;
}

static void tick(struct run *r)
{
	r->now += 100000000;
	sd_probe_memory_access.tick(r->probe, r->now);
}

static void done(struct run *r)
{
	sd_probe_memory_access.close(r->probe);
	sd_run_free(&r->result);
	sd_cpulist_free(&r->cpus);
	sd_stacks_free(&r->stacks);
	sd_access_source_free(r->source);
}

/* The event of a CPU that has the ring. */
static int side(unsigned cpu)
{
	return fake_find(cpu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}

static void trailer(struct fake_record *r, int pid, int tid, uint64_t time)
{
	fake_u32(r, (uint32_t)pid);
	fake_u32(r, (uint32_t)tid);
	fake_u64(r, time);
	fake_u64(r, 1);
}

static void put_exec(int leader, int pid, uint64_t time)
{
	struct fake_record *const r =
		fake_begin(PERF_RECORD_COMM, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC);

	fake_u32(r, (uint32_t)pid);
	fake_u32(r, (uint32_t)pid);
	fake_bytes(r, "program\0", 8);
	trailer(r, pid, pid, time);
	assert_true(fake_put(r, leader, 0));
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

/* ---- packets --------------------------------------------------------------------------------- */

struct packets {
	unsigned char byte[4096];
	size_t n;
};

static void put(struct packets *p, unsigned head, uint64_t payload, size_t size)
{
	p->byte[p->n++] = (unsigned char)head;
	for (size_t i = 0; i < size; i++)
		p->byte[p->n++] = (unsigned char)(payload >> 8 * i);
}

#define EL0 (UINT64_C(1) << 63) /* not secure, exception level 0 */
#define EL1 (EL0 | UINT64_C(1) << 61)

static void record(struct packets *p, uint64_t pc, unsigned op, unsigned source, uint64_t address,
	uint64_t time)
{
	put(p, 0xb0, pc, 8);      /* address: PC */
	put(p, 0x65, 77, 4);      /* context */
	put(p, 0x49, op, 1);      /* operation: memory */
	put(p, 0x52, 0x2e, 2);    /* events */
	put(p, 0x98, 300, 2);     /* counter: total latency */
	put(p, 0xb2, address, 8); /* address: data */
	put(p, 0x43, source, 1);  /* data source */
	put(p, 0x00, 0, 0);       /* padding */
	put(p, 0x71, time, 8);    /* timestamp, ends the record */
}

#define LOAD_OP 0x00
#define STORE_OP 0x01
#define ATOMIC_OP 0x07
#define BRANCH_OP 0x4a

static void packets_are_read_record_by_record(void **state)
{
	struct packets p = {.n = 0};
	struct sd_arm_spe s;
	struct sd_arm_spe_access a;

	(void)state;
	record(&p, EL0 | 0x401000, LOAD_OP, 9, UINT64_C(0xb400) << 48 | LINE, 1000);
	record(&p, EL1 | 0xffff800010000000, LOAD_OP, 9, LINE, 1001); /* the kernel's */
	put(&p, 0xb0, EL0 | 0x401004, 8);                             /* a branch */
	put(&p, BRANCH_OP, 1, 1);
	put(&p, 0x01, 0, 0); /* end, without a timestamp */
	record(&p, EL0 | 0x401008, ATOMIC_OP, 9, LINE + 8, 1002);
	put(&p, 0x20, 0, 0); /* a counter with an extended header */
	put(&p, 0x98, 5, 2);
	record(&p, EL0 | 0x40100c, STORE_OP, 0, LINE + 16, 1003);
	s = (struct sd_arm_spe){.p = p.byte, .end = p.byte + p.n};
	assert_int_equal(sd_arm_spe_next(&s, &a), 1);
	assert_true(a.ip == 0x401000 && a.time == 1000 && a.source == 9 && a.cycles == 300);
	assert_int_equal(a.address & 0xffffffffffff, LINE); /* the tag of the address is not gone */
	assert_false(a.store || a.locked);
	assert_int_equal(sd_arm_spe_next(&s, &a), 1);
	assert_true(a.ip == 0x401008 && a.store && a.locked);
	assert_int_equal(sd_arm_spe_next(&s, &a), 1);
	assert_true(a.ip == 0x40100c && a.store && !a.locked && a.address == LINE + 16);
	assert_int_equal(sd_arm_spe_next(&s, &a), 0);
	assert_int_equal(s.bad, 0);
}

static void broken_packets_cost_their_record_and_are_counted(void **state)
{
	struct packets p = {.n = 0};
	struct sd_arm_spe s;
	struct sd_arm_spe_access a;

	(void)state;
	put(&p, 0xb0, EL0 | 0x401000, 8);
	put(&p, 0x49, LOAD_OP, 1);
	put(&p, 0xff, 0, 0); /* no packet */
	record(&p, EL0 | 0x402000, LOAD_OP, 9, LINE, 1000);
	for (size_t cut = 0; cut < 9; cut++) { /* the end is missing */
		s = (struct sd_arm_spe){.p = p.byte, .end = p.byte + p.n - cut};
		assert_int_equal(sd_arm_spe_next(&s, &a), cut == 0);
		if (!cut)
			assert_true(a.ip == 0x402000);
		assert_int_equal(sd_arm_spe_next(&s, &a), 0);
		assert_true(s.bad > 0);
	}
}

static void put_switch(int leader, int tid, uint64_t time, uint16_t misc)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_SWITCH, misc);

	trailer(r, PID, tid, time);
	assert_true(fake_put(r, leader, 0));
}

static void put_aux(int leader, const struct packets *p, uint64_t said)
{
	struct fake_record *const r = fake_begin(PERF_RECORD_AUX, 0);
	struct sd_perf_mmap *const ring = &fake.event[leader - FAKE_FD].ring;
	const uint64_t at = ring->control->aux_head;

	for (size_t i = 0; i < p->n; i++)
		ring->aux[(at + i) & (ring->aux_size - 1)] = p->byte[i];
	ring->control->aux_head += p->n;
	fake_u64(r, at);
	fake_u64(r, said ? said : p->n);
	fake_u64(r, 0);
	trailer(r, PID, PID, 900);
	assert_true(fake_put(r, leader, 0));
}

static void packets_belong_to_who_ran_at_their_time(void **state)
{
	struct packets p = {.n = 0};
	struct perf_event_mmap_page *control;
	const struct sd_memory_sampled *m;
	struct run r;
	int spe;

	(void)state;
	arm();
	own_pmu("arm_spe_0");
	assert_int_equal(begin(&r, 1), 0);
	spe = fake_find(CPU, OWN, 0x600010001);
	control = fake.event[spe - FAKE_FD].ring.control;
	control->cap_user_time_zero = 1; /* time = 1000 + 10 x counts */
	control->time_zero = 1000;
	control->time_mult = 10;
	control->time_shift = 0;
	put_exec(spe, PID, 1001);
	put_switch(spe, PID, 1100, 0);
	put_switch(spe, PID, 1200, PERF_RECORD_MISC_SWITCH_OUT);
	put_switch(spe, PID + 1, 1300, 0);
	record(&p, EL0 | 0x401000, LOAD_OP, 9, LINE, 5);       /* 1050: of nobody */
	record(&p, EL0 | 0x401000, LOAD_OP, 9, LINE, 11);      /* 1110: the first */
	record(&p, EL0 | 0x401000, LOAD_OP, 13, LINE + 8, 31); /* 1310: the second, far */
	record(&p, EL0 | 0x401000, LOAD_OP, 0, LINE + 8, 32);  /* its own L1 */
	record(&p, EL0 | 0x401000, STORE_OP, 9, LINE + 8, 33);
	put_aux(spe, &p, 0);
	tick(&r);
	assert_int_equal(control->aux_tail, p.n);
	/* more than there is, and a record that is too short: told, not read */
	put_aux(spe, &p, UINT64_C(1) << 40);
	m = end(&r);
	assert_string_equal(m->source, "arm_spe");
	assert_int_equal(m->loads, 4);
	assert_int_equal(m->stores, 1);
	assert_int_equal(m->peer, 3);
	assert_int_equal(m->unplaced, 1);
	assert_int_equal(m->lost, 1);
	assert_int_equal(m->n_thread, 2);
	assert_int_equal(m->n_contested, 1);
	assert_int_equal(m->contested[0].line.sharing, SD_SIM_FALSE);
	assert_int_equal(m->contested[0].peer, 2);
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
		TEST(intel_samples_loads_and_stores_precisely),
		TEST(loads_of_sapphire_rapids_follow_their_leader),
		TEST(without_precise_events_it_is_refused_with_a_word),
		TEST(ibs_asks_for_more_rights_where_the_kernel_is_older),
		TEST(spe_has_a_period_and_packets),
		TEST(lines_of_two_threads_tell_false_from_true_sharing),
		TEST(amd_and_intel_say_in_their_own_way_who_answered),
		TEST(of_whole_cpus_strangers_and_the_kernel_are_dropped),
		TEST(packets_are_read_record_by_record),
		TEST(broken_packets_cost_their_record_and_are_counted),
		TEST(packets_belong_to_who_ran_at_their_time),
		TEST(records_of_wrong_sizes_are_counted_and_skipped),
		TEST(what_was_before_an_exec_gets_no_name),
		TEST(lines_beyond_the_bound_make_room_for_those_that_move),
		TEST(little_locked_memory_and_few_files_cover_fewer_of_256_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
