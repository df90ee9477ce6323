/*
 * Judges causes by lines that watchpoints were on, and by those that were not watched.
 */
#include "diagnose/analyse/native/native_record.h"

/* All read the line and one writes it: what its moves cost is bounded by how often it is written,
 * as watchpoints counted. A microsecond each at most, where nobody measured it. */
static void seldom_written_lines_cost_nothing(void **state)
{
	static const double dose[] = {1, 1e3, 1e5, 1e7};
	enum sd_verdict before = SD_VERDICT_RULED_OUT;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct program p = {.proven = dose[i],
			.loop = {{.function = "poll",
				.one = 10,
				.two = 19,
				.of_true = .8,
				.maybe = .2}}};
		const struct sd_finding *const f = judge(&p, SD_CAUSE_TRUE_SHARING);

		assert_true(f->verdict <= before);
		before = f->verdict;
		if (dose[i] <= 1e3) {
			assert_int_equal(f->verdict, SD_VERDICT_RULED_OUT);
			assert_int_equal(verdict(SD_CAUSE_FALSE_SHARING), SD_VERDICT_RULED_OUT);
			assert_true(native_evidence(f, "its moves cost"));
		}
		done(NULL);
	}
	assert_int_equal(before, SD_VERDICT_LIKELY);
	/* nobody counted: all of it stays */
	assert_int_equal(judge(&(struct program){.loop = {{.function = "poll",
							 .one = 10,
							 .two = 19,
							 .of_true = .8,
							 .maybe = .2}}},
				 SD_CAUSE_TRUE_SHARING)
				 ->verdict,
		SD_VERDICT_LIKELY);
}

/* An address that no sample tells is no line's: it stays open however seldom that is written. */
static void the_count_of_a_line_says_nothing_of_unknown_addresses(void **state)
{
	static const struct program p = {.proven = 1,
		.loop = {{.function = "poll", .one = 10, .two = 19, .of_true = .2, .unknown = .8}}};

	(void)state;
	assert_int_not_equal(judge(&p, SD_CAUSE_TRUE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
}

/* All read the line and no sample is at a write: a plain store is at none. Growth there stays open
 * until watchpoints have counted, and then as far as they found it written. */
static void lines_that_all_read_are_open_until_they_are_watched(void **state)
{
	static const struct {
		double read, unknown, proven;
		int ruled_out;
	} row[] = {
		{0, 0, 0, 1}, /* private */
		{.9, 0, 0, 0},
		{.9, 0, 100, 1},
		{.9, 0, 1e7, 0},
		{.9, .1, 100, 0}, /* .09 of the growth has no address, and is a core's tenth */
		{.01, 0, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct program p = {.proven = row[i].proven,
			.loop = {{.function = "poll",
				.one = 10,
				.two = 19,
				.read = row[i].read,
				.unknown = row[i].unknown}}};
		const struct sd_finding *const f = judge(&p, SD_CAUSE_FALSE_SHARING);

		assert_int_equal(f->verdict == SD_VERDICT_RULED_OUT, row[i].ruled_out);
		assert_int_equal(
			verdict(SD_CAUSE_TRUE_SHARING) == SD_VERDICT_RULED_OUT, row[i].ruled_out);
		assert_true(f->verdict > SD_VERDICT_LIKELY);
		assert_int_equal(native_evidence(f, "where no sample tells who writes it"), i == 1);
		assert_int_equal(native_evidence(f, "watchpoints proved"), row[i].proven > 0);
		done(NULL);
	}
}

/* No sample writes it: watchpoints saw who does. */
static void at_one_number_of_cores_a_line_that_was_watched_is_named(void **state)
{
	static const double proven[] = {0, 1, 1e7};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		const struct program p = {.single = 1,
			.proven = proven[k],
			.loop = {{.function = "work", .one = 10, .two = 19, .read = .9}}};
		int named = 0;

		judge(&p, SD_CAUSE_FALSE_SHARING);
		for (size_t i = 0; i < analysis.warnings.n; i++)
			named |= strstr(analysis.warnings.text[i],
					 "90 % of its user time reads counters+0x40, which several "
					 "threads use and 2 of 2 write, 5000000 times a second, as "
					 "watchpoints proved") != NULL;
		assert_int_equal(named, proven[k] == 1e7);
		done(NULL);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, done)
	const struct CMUnitTest tests[] = {
		TEST(seldom_written_lines_cost_nothing),
		TEST(the_count_of_a_line_says_nothing_of_unknown_addresses),
		TEST(lines_that_all_read_are_open_until_they_are_watched),
		TEST(at_one_number_of_cores_a_line_that_was_watched_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
