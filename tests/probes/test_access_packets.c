/*
 * Packets that SPE writes: read record by record, broken ones dropped, each given to who ran.
 */
#include "probes/memory_machine.h"
#include "memory/line_table.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		TEST(packets_are_read_record_by_record),
		TEST(broken_packets_cost_their_record_and_are_counted),
		TEST(packets_belong_to_who_ran_at_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
