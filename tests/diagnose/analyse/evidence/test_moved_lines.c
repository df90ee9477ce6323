/*
 * Locked accesses beside lines that go from core to core: by the origin paper a lock, which is
 * possible before false sharing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/counted_record.h"
#include "support/near.h"

/* Counts of 4 cores, of one core 10 each. */
struct row {
	const char *what;
	double moved;               /* lines that another cache held modified */
	double exclusive, modified; /* locked accesses that found their line so */
	int cost;                   /* is it known what a line costs? .5 us */
	size_t runs;
	enum sd_verdict sharing, lock;
};

static void make(struct sd_record *r, const struct row *row)
{
	static const unsigned cores[] = {1, 4};
	static const struct sample at[] = {{.wall = 8, .user = 8}, {.wall = 6, .user = 24}};

	record_make(r, cores, 2);
	r->host.numa = 1;
	if (row->cost)
		r->calibration.line = SD_OK(.5e-6);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < row->runs; j++) {
			const double f = 1 + .002 * (double)j;
			struct sd_run *const run = record_sample(r, i, &at[i], f);

			for (int k = 0; k < SD_IDLE_COUNT; k++)
				run->idle[k] = SD_NOT(ABSENT);
			count(run, "core2", SD_ROLE_CYCLES, at[i].user * f * 2.4e9);
			count(run, "core2", SD_ROLE_INSTRUCTIONS, 1e10);
			count(run, "core2", SD_ROLE_HITM_BUS_SELF, i ? row->moved : 10);
			count(run, "core2", SD_ROLE_LOCK_L2_E, i ? row->exclusive : 10);
			count(run, "core2", SD_ROLE_LOCK_L2_M, i ? row->modified : 10);
		}
}

static size_t place_of(const struct sd_analysis *a, enum sd_cause cause)
{
	size_t i = 0;

	while (a->finding[i].cause != cause)
		i++;
	return i;
}

static int says(const struct sd_finding *f, const char *words)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], words))
			return 1;
	return 0;
}

static void expect(const struct row *row, const struct sd_formula_tables *tables)
{
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_finding *lock, *sharing;
	const int by_lock = row->lock == SD_VERDICT_POSSIBLE;
	int before;

	print_message("%s\n", row->what);
	make(&r, row);
	assert_int_equal(sd_analyse(&r, tables, NULL, &a), 0);
	lock = finding_of(&a, SD_CAUSE_LOCK_CONTENTION);
	sharing = finding_of(&a, SD_CAUSE_FALSE_SHARING);
	before = place_of(&a, SD_CAUSE_LOCK_CONTENTION) < place_of(&a, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(sharing->verdict, row->sharing);
	assert_int_equal(lock->verdict, row->lock);
	assert_int_equal(sharing->contradicted, by_lock);
	assert_int_equal(before, by_lock);
	assert_int_equal(says(lock, "from hand to hand"), by_lock);
	/* 1e7 lines of .5 us are 5 of the 24 core-s of 6 s */
	if (by_lock && row->cost) {
		assert_near(lock->cores.value, 5 / 6., .01);
		assert_near(lock->cores.low, 0, 1e-9);
	}
	sd_analysis_free(&a);
	sd_record_free(&r);
}

#define POSSIBLE SD_VERDICT_POSSIBLE
#define UNKNOWN SD_VERDICT_NOT_MEASURABLE

static void locks_beside_moves_are_possible_before_false_sharing(void **state)
{
	static const struct row rows[] = {
		{"a lock that is taken", 1e7, 3e6, 0, 1, 8, POSSIBLE, POSSIBLE},
		{"one that was written, too", 1e7, 5e5, 2e6, 1, 8, POSSIBLE, POSSIBLE},
		{"without the cost of a line", 1e7, 3e6, 0, 0, 8, POSSIBLE, POSSIBLE},
		{"hardly any locked access", 1e7, 1e5, 1e5, 1, 8, POSSIBLE, UNKNOWN},
		{"none more than on one core", 1e7, 10, 10, 0, 8, POSSIBLE, UNKNOWN},
		{"hardly any line", 1e4, 1e4, 0, 0, 8, POSSIBLE, UNKNOWN},
		{"one run a count", 1e7, 3e6, 0, 1, 1, POSSIBLE, POSSIBLE},
		{"and no cost", 1e7, 3e6, 0, 0, 1, POSSIBLE, POSSIBLE},
		{"and no lock", 1e7, 10, 10, 0, 1, POSSIBLE, UNKNOWN},
		{"and hardly any line", 1e4, 1e4, 0, 0, 1, UNKNOWN, UNKNOWN},
	};
	struct sd_formula_tables tables;

	(void)state;
	load_tables(&tables);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		expect(&rows[i], &tables);
	sd_formula_tables_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_beside_moves_are_possible_before_false_sharing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
