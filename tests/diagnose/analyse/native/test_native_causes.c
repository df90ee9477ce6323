/*
 * Judges causes by the lines that a program's own samples saw.
 */
#include "diagnose/analyse/native/native_record.h"

/* 10 s of work that are 19 on two cores, all of them at one line. */
static void growth_at_a_line_of_different_bytes_is_false_sharing(void **state)
{
	static const struct program p = {.loop = {{.function = "work",
						 .one = 10,
						 .two = 19,
						 .of_false = .98,
						 .unknown = .02}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

	(void)state;
	assert_ptr_equal(f, &analysis.finding[0]);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	/* (19 - 10) / 9.5 s */
	assert_true(f->cores.low > .85 && f->cores.high < 1.0);
	assert_true(native_evidence(f, "98 % of the growth is in loops that touch counters+0x40"));
	assert_true(native_evidence(f, "thread 0 writes bytes 0-7, thread 1 bytes 8-15"));
	assert_true(native_evidence(f, "2 % of it is open: addresses that no sample tells"));
	assert_string_equal(f->where[0].function, "work");
	assert_string_equal(f->where[0].object, "counters+0x40");
	assert_non_null(strstr(f->next, "scalediag lines RECORD"));
	assert_true(verdict(SD_CAUSE_TRUE_SHARING) == SD_VERDICT_RULED_OUT);
	/* a handful of lines and pages */
	assert_int_equal(verdict(SD_CAUSE_MEMORY_BANDWIDTH), SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(SD_CAUSE_LLC_CAPACITY), SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(SD_CAUSE_DTLB), SD_VERDICT_RULED_OUT);
}

/* A static program: nobody can log who asked for its blocks. */
static void heap_memory_without_a_site_says_why(void **state)
{
	static const char why[] = "who allocated that memory is not known: the program is static";
	struct program p = {.name = "[heap]+0x40",
		.heap_why = "the program is static",
		.loop = {{.function = "work", .one = 10, .two = 19, .of_false = .98}}};

	(void)state;
	assert_true(native_evidence(judge(&p, SD_CAUSE_FALSE_SHARING), why));
	done(state);
	p.name = "counters[3].hits";
	assert_false(native_evidence(judge(&p, SD_CAUSE_FALSE_SHARING), why));
	assert_string_equal(
		finding_of(&analysis, SD_CAUSE_FALSE_SHARING)->where[0].object, "counters[3].hits");
}

/* A line without a site is the same as one of each site; these two are not the same. */
static void lines_of_other_sites_replace_one_without(void **state)
{
	static const struct program p = {.sites = {1, 2},
		.loop = {{.function = "count", .one = 10, .two = 19, .of_true = 1}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_LIKELY);
}

static void growth_at_the_same_bytes_is_true_sharing(void **state)
{
	static const struct program p = {
		.loop = {{.function = "count", .one = 10, .two = 19, .of_true = 1}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_LIKELY);
	assert_int_equal(verdict(SD_CAUSE_FALSE_SHARING), SD_VERDICT_RULED_OUT);
}

/* A table of which all write all: seldom the same bytes within some milliseconds, yet none of them
 * is one thread's, to be moved apart. */
static void bytes_that_all_write_in_turns_are_true_sharing(void **state)
{
	static const struct program p = {.random = 1,
		.loop = {{.function = "count",
			.one = 10,
			.two = 19,
			.of_false = .6,
			.of_true = .3,
			.maybe = .1}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_LIKELY);
	assert_ptr_equal(finding_of(&analysis, SD_CAUSE_TRUE_SHARING), &analysis.finding[0]);
	assert_true(verdict(SD_CAUSE_FALSE_SHARING) > SD_VERDICT_LIKELY);
}

/* Words of each thread's own that lie in two lines: each access stops the others', and no line is
 * contested. A loop without any grows as well. */
static void growth_at_atomic_accesses_in_two_lines_is_bus_locks(void **state)
{
	static const struct program p = {
		.loop = {{.function = "count", .one = 10, .two = 19, .split = 1},
			{.function = "other", .one = 1, .two = 2}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_BUS_LOCKS);

	(void)state;
	assert_ptr_equal(f, &analysis.finding[0]);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	assert_true(f->cores.value > .8 && f->cores.high < 1.05);
	assert_true(native_evidence(
		f, "90 % of the growth is in loops with atomic accesses that lie in two lines"));
	assert_string_equal(f->where[0].function, "count");
	assert_string_equal(f->where[0].object, "counters+0x40");
	/* these words may be contested as well: nobody has told */
	assert_true(verdict(SD_CAUSE_TRUE_SHARING) != SD_VERDICT_LIKELY);
	assert_true(verdict(SD_CAUSE_FALSE_SHARING) != SD_VERDICT_LIKELY);
}

static void without_an_access_in_two_lines_nobody_locks_the_bus(void **state)
{
	static const struct program p = {
		.loop = {{.function = "work", .one = 10, .two = 19, .of_false = 1}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_BUS_LOCKS)->verdict, SD_VERDICT_RULED_OUT);
}

/* As attach without --cores: there is no growth, and still a line to look at. */
static void at_one_number_of_cores_the_line_is_named(void **state)
{
	static const struct program p = {
		.single = 1, .loop = {{.function = "work", .one = 10, .two = 19, .of_false = .98}}};
	int named = 0;

	(void)state;
	judge(&p, SD_CAUSE_FALSE_SHARING);
	for (size_t i = 0; i < analysis.warnings.n; i++)
		named |= strstr(analysis.warnings.text[i],
				 "98 % of its user time is at counters+0x40, on which threads take "
				 "turns: thread 0 writes bytes 0-7, thread 1 bytes 8-15 (false "
				 "sharing): scalediag lines RECORD") != NULL;
	assert_true(named);
}

/* It streams, and nobody else uses what it touches. */
static void growth_at_private_lines_is_no_sharing(void **state)
{
	static const struct program p = {
		.loop = {{.function = "axpy", .one = 10, .two = 19, .lines = 5000}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

	(void)state;
	assert_int_equal(f->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(SD_CAUSE_TRUE_SHARING), SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(SD_CAUSE_MEMORY_BANDWIDTH), SD_VERDICT_POSSIBLE);
	assert_int_equal(verdict(SD_CAUSE_LLC_CAPACITY), SD_VERDICT_POSSIBLE);
	assert_int_equal(verdict(SD_CAUSE_DTLB), SD_VERDICT_POSSIBLE);
}

/* A contested line whose loop takes no longer costs nothing: growth decides. */
static void a_contested_line_without_growth_costs_nothing(void **state)
{
	static const struct program p = {
		.loop = {{.function = "flag", .one = 5, .two = 5, .of_false = 1},
			{.function = "axpy", .one = 5, .two = 14, .lines = 5000}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
}

/* Samples do not tell the addresses: nothing is claimed, and nothing ruled out. */
static void unknown_addresses_leave_sharing_open(void **state)
{
	static const struct program p = {
		.loop = {{.function = "work", .one = 10, .two = 19, .unknown = 1}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

	(void)state;
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
	assert_int_equal(verdict(SD_CAUSE_MEMORY_BANDWIDTH), SD_VERDICT_POSSIBLE);
}

/* Few samples without an address cannot have the growth of all the others. */
static void few_unknown_addresses_hide_no_more_than_their_time(void **state)
{
	static const struct program p = {
		.loop = {{.function = "work", .one = 10, .two = 19, .unknown = .02}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
}

/* All read a flag that hardly any sample writes: whoever waits for it waits for a write. */
static void a_line_that_is_seldom_written_has_no_more_than_its_writes(void **state)
{
	static const double share[] = {.002, .02, .5};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct program p = {.loop = {{.function = "work",
						  .one = 10,
						  .two = 19,
						  .of_false = 1,
						  .lines = 5000}},
			.writes = share[i]};
		const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

		if (i == 2) { /* a core's time of writing, for two threads */
			assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		} else { /* of 19 s at 2 cores .002: of two threads .008 cores; or .08 */
			assert_true(f->verdict == SD_VERDICT_POSSIBLE);
			assert_true(f->cores.status != SD_STATUS_OK || f->cores.low < .1);
		}
		/* and all of it may be something else */
		assert_int_equal(verdict(SD_CAUSE_MEMORY_BANDWIDTH),
			i == 2 ? verdict(SD_CAUSE_MEMORY_BANDWIDTH) : SD_VERDICT_POSSIBLE);
		done(NULL);
	}
	judge(&(struct program){.loop = {{.function = "w", .one = 1, .two = 1}}}, 0);
}

/* One run a point has no interval: nothing is likely, and nothing ruled out by its amount. */
static void one_run_a_point_makes_nothing_likely(void **state)
{
	static const struct program p = {
		.runs = 1, .loop = {{.function = "work", .one = 10, .two = 19, .of_false = 1}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

	(void)state;
	assert_true(f->verdict >= SD_VERDICT_POSSIBLE && f->verdict != SD_VERDICT_RULED_OUT);
	assert_true(verdict(SD_CAUSE_TRUE_SHARING) != SD_VERDICT_RULED_OUT);
}

/* A lock's word, its waiters, and what is written under it are one cause with one amount. */
static void what_moves_under_a_lock_is_the_locks(void **state)
{
	static const struct program p = {.waits = 8,
		.loop = {{.function = "work", .one = 6, .two = 10, .of_true = 1},
			{.function = "pthread_mutex_lock",
				.module = "/usr/lib/libc.so.6",
				.one = 1,
				.two = 3,
				.of_lock = 1}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_LOCK_CONTENTION);

	(void)state;
	assert_ptr_equal(f, &analysis.finding[0]);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	/* (8 + 4 + 2) / 10.5 s, of which 4 are not sure */
	assert_true(fabs(f->cores.value - 14 / 10.5) < .02);
	assert_true(f->cores.low > .7 && f->cores.low < 1);
	assert_true(verdict(SD_CAUSE_TRUE_SHARING) >= SD_VERDICT_POSSIBLE);
	assert_false(sd_has(analysis.undecided));
}

/* The words of several locks in one line: who takes one waits for the line, and for no thread. */
static void locks_of_one_line_are_false_sharing(void **state)
{
	static const struct program p = {
		.spins = 9, .pool = 1, .loop = {{.function = "work", .one = 10, .two = 10}}};
	const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

	(void)state;
	assert_ptr_equal(f, &analysis.finding[0]);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	assert_true(verdict(SD_CAUSE_LOCK_CONTENTION) > SD_VERDICT_LIKELY);
}

/* malloc's own words are the allocator's, and what hands out a loop's pieces the runtime's. */
static void words_of_libraries_are_not_the_programs(void **state)
{
	static const struct program p = {.loop = {{.function = "malloc",
							  .module = "/usr/lib/libc.so.6",
							  .one = 5,
							  .two = 10,
							  .of_true = 1},
						 {.function = "gomp_iter_dynamic_next",
							 .module = "/usr/lib/libgomp.so.1",
							 .one = 5,
							 .two = 9,
							 .of_true = 1}}};

	(void)state;
	assert_int_equal(judge(&p, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(SD_CAUSE_FALSE_SHARING), SD_VERDICT_RULED_OUT);
	assert_int_equal(verdict(SD_CAUSE_ALLOCATOR), SD_VERDICT_LIKELY);
}

/* A simulation of the whole program saw no line move: both are kept, and neither is sure. */
static void a_simulation_that_contradicts_is_said(void **state)
{
	static const struct program p = {
		.loop = {{.function = "work", .one = 10, .two = 19, .of_false = 1}}};
	const struct sd_finding *f;

	(void)state;
	make_native_record(&record, &p);
	record.calibration.line = SD_OK(100e-9);
	for (size_t i = 0; i < 2; i++)
		make_simulated(&record, i);
	assert_int_equal(sd_analyse(&record, NULL, NULL, &analysis), 0);
	f = finding_of(&analysis, SD_CAUSE_FALSE_SHARING);
	assert_true(f->disagree);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
}

#define TEST(name) cmocka_unit_test_teardown(name, done)

/* A line of increment() that moved in a simulation as well. */
static const struct sd_finding *judge_simulated(const char *function)
{
	const struct program p = {.loop = {{.function = function,
					  .one = 10,
					  .two = 19,
					  .of_false = .98,
					  .unknown = .02}}};
	struct sd_simulated *two;

	make_native_record(&record, &p);
	record.calibration.line = SD_OK(100e-9);
	make_simulated(&record, 0);
	two = make_simulated(&record, 1);
	make_false_line(&record, two, 50e6);
	for (size_t i = 0; i < two->n_thread; i++)
		two->thread[i].hitm_load = 50e6 / (double)two->n_thread;
	assert_int_equal(sd_analyse(&record, NULL, NULL, &analysis), 0);
	return finding_of(&analysis, SD_CAUSE_FALSE_SHARING);
}

/* Nearly all that was lost is in work(), which the simulation did not come to. */
static void the_time_lost_names_the_place_where_a_simulation_met_another(void **state)
{
	const struct sd_finding *f = judge_simulated("work");

	(void)state;
	assert_int_equal(f->n_where, 1);
	assert_string_equal(f->where[0].function, "work");
	assert_string_equal(f->where[0].object, "counters+0x40");
	assert_true(f->where[0].share > .9);
	done(state);
	/* of the same function the simulation knows more */
	f = judge_simulated("increment");
	assert_string_equal(f->where[0].function, "increment");
	assert_int_equal(f->where[0].line, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_time_lost_names_the_place_where_a_simulation_met_another),
		TEST(growth_at_a_line_of_different_bytes_is_false_sharing),
		TEST(heap_memory_without_a_site_says_why),
		TEST(lines_of_other_sites_replace_one_without),
		TEST(growth_at_the_same_bytes_is_true_sharing),
		TEST(bytes_that_all_write_in_turns_are_true_sharing),
		TEST(growth_at_atomic_accesses_in_two_lines_is_bus_locks),
		TEST(without_an_access_in_two_lines_nobody_locks_the_bus),
		TEST(at_one_number_of_cores_the_line_is_named),
		TEST(growth_at_private_lines_is_no_sharing),
		TEST(a_contested_line_without_growth_costs_nothing),
		TEST(unknown_addresses_leave_sharing_open),
		TEST(few_unknown_addresses_hide_no_more_than_their_time),
		TEST(a_line_that_is_seldom_written_has_no_more_than_its_writes),
		TEST(one_run_a_point_makes_nothing_likely),
		TEST(what_moves_under_a_lock_is_the_locks),
		TEST(locks_of_one_line_are_false_sharing),
		TEST(words_of_libraries_are_not_the_programs),
		TEST(a_simulation_that_contradicts_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
