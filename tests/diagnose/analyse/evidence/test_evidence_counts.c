/*
 * Records with counts of known mechanisms: each is found, is worth what it costs, and the parts
 * keep their sum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "support/near.h"

#include "support/counted_record.h"
#include "support/make_simulated.h"

enum { RUNS = 8, EIGHT = 8 };

/* Counts of 8 cores beside cycles and instructions, for each of which one core counts the other. */
struct extra {
	enum sd_role role;
	double one, many;
};

/*
 * 1e10 instructions at 3 GHz: 10 s at CPI 3 on one core, and at CPI 6 on eight of them 2.5 s, of
 * which half the user time is growth of CPI.
 */
static void make(
	struct sd_record *r, const char *family, const struct extra *e, size_t n, double pauses)
{
	static const unsigned cores[] = {1, EIGHT};

	record_make(r, cores, 2);
	r->host.numa = 2;
	r->host.cores = EIGHT;
	r->host.allowed = EIGHT;
	r->calibration.llc = SD_OK(20e-9);
	r->calibration.dram = SD_OK(90e-9);
	r->calibration.line = SD_OK(60e-9);
	r->calibration.remote = SD_OK(150e-9);
	assert_int_equal(sd_calibration_add(&r->calibration, 1, 12e9), 0);
	assert_int_equal(sd_calibration_add(&r->calibration, EIGHT, 30e9), 0);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < RUNS; j++) {
			double f = 1 + .002 * ((double)j - 3.5), time = i ? 2.5 : 10;
			struct sample s = {.wall = time, .user = i ? 20 : 10};
			struct sd_run *run = record_sample(r, i, &s, f);

			count(run, family, SD_ROLE_CYCLES, (i ? 60e9 : 30e9) * f);
			count(run, family, SD_ROLE_INSTRUCTIONS, 10e9);
			for (size_t k = 0; k < n; k++)
				count(run, family, e[k].role, i ? e[k].many : e[k].one);
			if (pauses >= 0)
				count(run, family, SD_ROLE_PAUSES, i ? pauses : 0);
		}
}

static void analyse(struct sd_record *r, struct sd_analysis *a)
{
	/* the shown metrics have their names from it */
	static struct sd_formula_tables f;

	sd_formula_tables_free(&f);
	load_tables(&f);
	assert_int_equal(sd_analyse(r, &f, NULL, a), 0);
	for (size_t i = 0; i < a->n_point; i++)
		assert_near(stack_sum(&a->point[i]), a->point[i].n, 1e-9);
}

static void growth_of_cpi_goes_to_the_mechanism_that_grew(void **state)
{
	/* 3 cycles an instruction more are 30e9 cycles, 10 core-s, 4 cores at 2.5 s */
	static const struct {
		const char *family;
		struct extra extra[4];
		enum sd_component component;
		enum sd_cause cause;
		double cores;
		enum sd_verdict verdict;
	} row[] = {
		{"skx",
			{{SD_ROLE_STALL_L3, 1e9, 25e9}, {SD_ROLE_BANDWIDTH_CYCLES, 1e9, 25e9},
				{SD_ROLE_DRAM_READ_LINES, 1e9, 1e9},
				{SD_ROLE_DRAM_WRITE_LINES, 1e8, 1e8}},
			SD_COMPONENT_CPI_BANDWIDTH, SD_CAUSE_MEMORY_BANDWIDTH, 3.2,
			SD_VERDICT_LIKELY},
		{"skx", {{SD_ROLE_DTLB_WALK_CYCLES, 1e9, 16e9}, {SD_ROLE_DTLB_WALKS, 1e7, 1.6e8}},
			SD_COMPONENT_CPI_DTLB, SD_CAUSE_DTLB, 2, SD_VERDICT_LIKELY},
		/* 70 ns at 3 GHz are 210 cycles; 1e8 lines more 21e9 */
		{"skx", {{SD_ROLE_LLC_LINES_IN, 1e7, 11e7}}, SD_COMPONENT_CPI_LLC,
			SD_CAUSE_LLC_CAPACITY, 2.8, SD_VERDICT_LIKELY},
		/* 60 ns are 180 cycles */
		{"skx", {{SD_ROLE_HITM_LOAD, 0, 1e8}, {SD_ROLE_HITM_STORE, 0, 0}},
			SD_COMPONENT_CPI_SHARING, SD_CAUSE_FALSE_SHARING, 2.4, SD_VERDICT_POSSIBLE},
		/* four cores that take turns at a line wait for each other, not for the bus: 16e9
		 * stalled cycles, and no other line that they can be for */
		{"core2",
			{{SD_ROLE_HITM_BUS_SELF, 0, 1e7}, {SD_ROLE_LLC_LINES_IN, 1e3, 1e7},
				{SD_ROLE_STALL_TOTAL, 1e9, 16e9}},
			SD_COMPONENT_CPI_SHARING, SD_CAUSE_FALSE_SHARING, 2.1333,
			SD_VERDICT_POSSIBLE},
		/* no core has two threads, and yet another thread took slots: a guest does not see
		 * whom it shares its cores with, so that both are said */
		{"zen4", {{SD_ROLE_TD_SMT, 0, 60e9}, {SD_ROLE_TD_SLOTS, 180e9, 360e9}},
			SD_COMPONENT_CPI_SMT, SD_CAUSE_SMT, 1.3333, SD_VERDICT_POSSIBLE},
		{"neoverse_n1", {{SD_ROLE_REMOTE_ACCESSES, 0, 1e8}}, SD_COMPONENT_CPI_NUMA,
			SD_CAUSE_NUMA, 2.4, SD_VERDICT_LIKELY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;
		const struct sd_finding *f;
		size_t n = 0;

		while (n < 4 && row[i].extra[n].role != SD_ROLE_CYCLES)
			n++;
		make(&r, row[i].family, row[i].extra, n, -1);
		analyse(&r, &a);
		f = finding_of(&a, row[i].cause);
		if (f->verdict != row[i].verdict)
			print_error("row %zu: %s, %s\n", i, sd_verdict_name[f->verdict],
				f->evidence.n ? f->evidence.text[0] : "");
		assert_int_equal(f->verdict, row[i].verdict);
		assert_near(a.point[1].stack[row[i].component].value, row[i].cores, .06);
		/* the rest of the four cores is not given to anybody */
		assert_near(a.point[1].stack[row[i].component].value +
				    a.point[1].stack[SD_COMPONENT_CPI_OTHER].value,
			4, .02);
		assert_int_equal(f->disagree, row[i].cause == SD_CAUSE_SMT);
		if (row[i].verdict == SD_VERDICT_LIKELY)
			assert_int_equal(a.finding[0].cause, row[i].cause);
		sd_analysis_free(&a);
		sd_calibration_free(&r.calibration);
		sd_record_free(&r);
	}
}

/* Sampled lines divide the 2.4 cores of sharing that the counters have. */
static void sampled_lines_say_which_sharing_the_counters_saw(void **state)
{
	static const struct {
		double stores; /* counted beside 1e8 loads; of their lines nothing is sampled */
		double moves;  /* of 300 sampled ones, of the line that is falsely shared */
		enum sd_verdict is_false, is_true;
	} row[] = {
		{0, 300, SD_VERDICT_LIKELY, SD_VERDICT_RULED_OUT},
		{1e8, 300, SD_VERDICT_LIKELY, SD_VERDICT_POSSIBLE},
		{0, 0, SD_VERDICT_POSSIBLE, SD_VERDICT_POSSIBLE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;
		const struct sd_finding *f;
		struct sd_memory_sampled *m;

		const struct extra extra[] = {
			{SD_ROLE_HITM_LOAD, 0, 1e8}, {SD_ROLE_HITM_STORE, 0, row[i].stores}};

		make(&r, "skx", extra, 2, -1);
		m = make_memory(&r, 1);
		m->contested[0].line.hitm_load = row[i].moves;
		analyse(&r, &a);
		f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
		assert_int_equal(f->verdict, row[i].is_false);
		assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict, row[i].is_true);
		if (row[i].is_true == SD_VERDICT_RULED_OUT) {
			/* Wilson: 300 of 300 are at least 98.7 % */
			assert_near(f->cores.value, 2.4, .06);
			assert_true(f->cores.low > .98 * 2.3 && f->n_where > 0);
			assert_int_equal(a.finding[0].cause, SD_CAUSE_FALSE_SHARING);
		}
		m->status = SD_STATUS_DENIED;
		sd_analysis_free(&a);
		analyse(&r, &a);
		f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
		assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
		sd_analysis_free(&a);
		sd_calibration_free(&r.calibration);
		sd_record_free(&r);
	}
}

/* Simulated moves divide what counters have seen; a part of the moves rules nothing out. */
static void simulated_moves_divide_what_counters_saw_but_not_a_part_of_them(void **state)
{
	static const struct extra extra[] = {{SD_ROLE_HITM_LOAD, 0, 1e8}};

	(void)state;
	for (int partial = 0; partial < 2; partial++) {
		struct sd_simulated *s;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, "skx", extra, 1, -1);
		make_simulated(&r, 0);
		s = make_simulated(&r, 1);
		for (size_t i = 0; i < s->n_thread; i++)
			s->thread[i].hitm_load = 1e6;
		make_false_line(&r, s, 1e6 * (double)s->n_thread);
		s->partial = partial;
		analyse(&r, &a);
		assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
			partial ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict,
			partial ? SD_VERDICT_POSSIBLE : SD_VERDICT_RULED_OUT);
		if (partial)
			assert_int_not_equal(
				finding_of(&a, SD_CAUSE_TRUE_SHARING)->cores.status, SD_STATUS_OK);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void mechanisms_that_explain_too_much_share_what_there_is(void **state)
{
	static const struct extra extra[] = {{SD_ROLE_STALL_L3, 0, 45e9},
		{SD_ROLE_BANDWIDTH_CYCLES, 0, 45e9}, {SD_ROLE_DTLB_WALK_CYCLES, 0, 15e9}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, "skx", extra, 3, -1);
	analyse(&r, &a);
	/* 4.5 and 1.5 cycles claimed, 3 there */
	assert_near(a.point[1].stack[SD_COMPONENT_CPI_BANDWIDTH].value, 3, .03);
	assert_near(a.point[1].stack[SD_COMPONENT_CPI_DTLB].value, 1, .02);
	assert_near(a.point[1].stack[SD_COMPONENT_CPI_OTHER].value, 0, 1e-9);
	assert_near(shown_of(&a.point[1], "cpi-explained")->value.value, 2, .01);
	assert_true(shown_of(&a.point[1], "cpi-explained")->over);
	assert_null(shown_of(&a.point[0], "cpi-explained"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void waiting_in_loops_is_taken_out_first(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	/* 1.4e8 PAUSEs of 140 cycles: 19.6e9 of 60e9 cycles, and 5.6e8 of the instructions */
	make(&r, "spr", NULL, 0, 1.4e8);
	analyse(&r, &a);
	assert_near(a.point[1].stack[SD_COMPONENT_SPINNING].value, 8 * 19.6 / 60, .03);
	assert_int_equal(finding_of(&a, SD_CAUSE_SPINNING)->verdict, SD_VERDICT_LIKELY);
	assert_true(a.point[1].stack[SD_COMPONENT_CPI_OTHER].value < 2.5);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void bytes_that_still_grow_with_the_cores_are_no_bandwidth_limit(void **state)
{
	/* as many bytes a core and second as before, and stalls that look like bandwidth */
	static const struct extra extra[] = {{SD_ROLE_STALL_L3, 1e9, 25e9},
		{SD_ROLE_BANDWIDTH_CYCLES, 1e9, 25e9}, {SD_ROLE_DRAM_READ_LINES, 1e8, 2e8},
		{SD_ROLE_DRAM_WRITE_LINES, 1e7, 2e7}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, "skx", extra, 4, -1);
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_POSSIBLE);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void one_cores_appetite_says_when_the_bandwidth_is_full(void **state)
{
	static const struct extra extra[] = {{SD_ROLE_STALL_L3, 1e9, 25e9},
		{SD_ROLE_BANDWIDTH_CYCLES, 1e9, 25e9}, {SD_ROLE_DRAM_READ_LINES, 1e9, 1e9},
		{SD_ROLE_DRAM_WRITE_LINES, 1e8, 1e8}};
	const struct sd_finding *f;
	struct sd_analysis a;
	struct sd_record r;
	int found = 0;

	(void)state;
	make(&r, "skx", extra, 4, -1);
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH);
	/* 1.1e9 lines in 10 s are 7.04 GB/s; two cores ask for 14.08, and there are 14.57 */
	for (size_t i = 0; i < f->evidence.n; i++)
		found |= strstr(f->evidence.text[i], "0.0367 lines a cycle, 7.04 GB/s") &&
			 strstr(f->evidence.text[i], "full at 2.0 of its cores");
	assert_true(found);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* One that takes turns with others is compared where it had 1.6 s of the CPU time of every run: a
 * tenth of the reference's 10 s is less. */
static void a_multiplexed_count_is_used_for_differences_once_it_had_turns_enough(void **state)
{
	static const struct extra extra[] = {{SD_ROLE_DTLB_WALK_CYCLES, 1e9, 16e9}};
	static const struct {
		double share, dtlb;
	} row[] = {{.1, NAN}, {.3, 2}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_analysis a;
		struct sd_record r;
		struct sd_interval dtlb;

		make(&r, "skx", extra, 1, -1);
		for (size_t i = 0; i < r.n_run; i++)
			for (size_t c = 0; c < r.run[i].n_role; c++)
				if (r.run[i].role[c].role == SD_ROLE_DTLB_WALK_CYCLES) {
					r.run[i].role[c].running = row[k].share;
					r.run[i].role[c].value.value *= row[k].share;
				}
		analyse(&r, &a);
		dtlb = a.point[1].stack[SD_COMPONENT_CPI_DTLB];
		assert_int_equal(dtlb.status, isnan(row[k].dtlb) ? SD_STATUS_ABSENT : SD_STATUS_OK);
		if (!isnan(row[k].dtlb))
			assert_near(dtlb.value, row[k].dtlb, .02);
		assert_near(a.point[1].stack[SD_COMPONENT_CPI_OTHER].value,
			isnan(row[k].dtlb) ? 4 : 4 - row[k].dtlb, .04);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void counts_without_tables_change_nothing_but_the_split_of_user_time(void **state)
{
	static const struct extra extra[] = {{SD_ROLE_DTLB_WALK_CYCLES, 1e9, 16e9}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, "skx", extra, 1, -1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].stack[SD_COMPONENT_CPI_DTLB].status, SD_STATUS_ABSENT);
	assert_near(a.point[1].stack[SD_COMPONENT_CPI_OTHER].value, 4, .02);
	assert_null(shown_of(&a.point[1], "cpi"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_of_cpi_goes_to_the_mechanism_that_grew),
		cmocka_unit_test(sampled_lines_say_which_sharing_the_counters_saw),
		cmocka_unit_test(simulated_moves_divide_what_counters_saw_but_not_a_part_of_them),
		cmocka_unit_test(mechanisms_that_explain_too_much_share_what_there_is),
		cmocka_unit_test(waiting_in_loops_is_taken_out_first),
		cmocka_unit_test(bytes_that_still_grow_with_the_cores_are_no_bandwidth_limit),
		cmocka_unit_test(one_cores_appetite_says_when_the_bandwidth_is_full),
		cmocka_unit_test(
			a_multiplexed_count_is_used_for_differences_once_it_had_turns_enough),
		cmocka_unit_test(counts_without_tables_change_nothing_but_the_split_of_user_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
