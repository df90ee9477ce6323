/*
 * Causes that state bounds: what each source leaves open, and what it does not rule out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/near.h"

static const struct sample one = {.wall = 8, .user = 8};

/* A program at 1 and at 4 cores, 10 runs each. */
static void make(struct sd_record *r, const struct sample *four)
{
	static const unsigned cores[] = {1, 4};

	record_make(r, cores, 2);
	record_samples(r, 0, &one, 10, .002, 1);
	record_samples(r, 1, four, 10, .002, 2);
}

static int says(const struct sd_finding *f, const char *words)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], words))
			return 1;
	return 0;
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

/* The growth speaks for each of its causes, and for none by an amount. */
static void growth_is_an_upper_bound_of_what_hides_in_it(void **state)
{
	static const struct sample four = {.wall = 4, .user = 16};
	static const enum sd_cause hidden[] = {SD_CAUSE_NUMA, SD_CAUSE_SMT, SD_CAUSE_FREQUENCY};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, &four);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
		const struct sd_finding *const f = finding_of(&a, hidden[i]);

		assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
		assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
		assert_int_equal(f->worth.status, SD_STATUS_ABSENT);
		assert_true(says(f, "at most 2.0"));
	}
	done(&r, &a);
}

/* A fact holds whatever user time does, and hides no other source. */
static void one_node_and_no_siblings_leave_nothing(void **state)
{
	static const struct sample four = {.wall = 4, .user = 16};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, &four);
	r.host.numa = 1;
	r.host.cores = r.host.allowed = 4;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_NUMA)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_NUMA)->evidence.n, 1);
	assert_int_equal(finding_of(&a, SD_CAUSE_SMT)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_SMT)->evidence.n, 1);
	assert_int_equal(finding_of(&a, SD_CAUSE_FREQUENCY)->verdict, SD_VERDICT_POSSIBLE);
	done(&r, &a);
}

/* Waits for a disk that no byte went with: none of them is surely the disk's. */
static void waits_without_bytes_are_not_surely_a_disks(void **state)
{
	static const struct sample four = {.wall = 4, .user = 8, .idle[SD_IDLE_DISK] = 8};

	(void)state;
	for (int bytes = 0; bytes < 2; bytes++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, &four);
		for (size_t i = 0; i < r.n_run; i++) {
			r.run[i].metric[SD_METRIC_BLOCK_READ] = SD_OK(bytes * 1e9);
			r.run[i].metric[SD_METRIC_BLOCK_WRITTEN] = SD_OK(0);
			r.run[i].metric[SD_METRIC_MAJOR_FAULTS] = SD_OK(0);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = &a.finding[0];
		assert_int_equal(f->cause, SD_CAUSE_DISK);
		assert_int_equal(f->verdict, bytes ? SD_VERDICT_LIKELY : SD_VERDICT_POSSIBLE);
		assert_int_equal(f->contradicted, !bytes);
		assert_near(f->cores.value, 2, .03);
		if (!bytes)
			assert_near(f->cores.low, 0, 1e-9);
		done(&r, &a);
	}
}

/* Kernel time beside few page faults is for something else: seen, and none of it surely memory's.
 */
static void kernel_time_without_faults_is_not_surely_memorys(void **state)
{
	static const struct sample four = {.wall = 4, .user = 8, .system = 8};

	(void)state;
	for (int faults = 0; faults < 2; faults++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, &four);
		for (size_t i = 0; i < r.n_run; i++)
			r.run[i].metric[SD_METRIC_MINOR_FAULTS] = SD_OK(faults ? 4e6 : 100);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = &a.finding[0];
		assert_int_equal(f->cause, SD_CAUSE_KERNEL_MEMORY);
		assert_int_equal(f->verdict, faults ? SD_VERDICT_LIKELY : SD_VERDICT_POSSIBLE);
		assert_int_equal(f->contradicted, !faults);
		assert_near(f->cores.value, 2, .03);
		if (!faults)
			assert_near(f->cores.low, 0, 1e-9);
		done(&r, &a);
	}
}

/* Without stacks the allocator may have all that grew, and nobody says how much. */
static void without_stacks_the_allocator_may_be_in_all_that_grew(void **state)
{
	static const struct sample four = {.wall = 4, .user = 12, .system = 4};
	const struct sd_finding *f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, &four);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = finding_of(&a, SD_CAUSE_ALLOCATOR);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
	assert_true(says(f, "at most 2.0"));
	done(&r, &a);
}

/* 400,000 messages of 8 bytes, more than are replayed, and cores that wait in MPI. Without a log
 * nobody knows what they wait for. */
static void logged_calls_speak_for_their_messages_without_a_replay(void **state)
{
	static const struct sample four = {.wall = 4, .user = 8};

	(void)state;
	for (int logged = 0; logged < 2; logged++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, &four);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_run *const run = &r.run[i];
			const double wait = run->point ? 8 : 0;

			run->idle[SD_IDLE_MPI] = SD_OK(wait);
			run->metric[SD_METRIC_POLLS] = SD_OK(800); /* it was watched */
			if (!logged)
				continue;
			run->mpi = calloc(1, sizeof *run->mpi);
			run->mpi->site = calloc(1, sizeof *run->mpi->site);
			run->mpi->status = SD_STATUS_OK;
			strcpy(run->mpi->why, "ranks made more than 9 MPI calls");
			*run->mpi->site = (struct sd_mpi_call_site){
				.call = "MPI_Isend", .calls = 4e5, .bytes = 3.2e6};
			run->mpi->n_site = 1;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_MPI);
		assert_int_equal(
			f->verdict, logged ? SD_VERDICT_POSSIBLE : SD_VERDICT_NOT_MEASURABLE);
		assert_int_equal(
			says(f, "messages sent between two ranks: 400000, mean 8 bytes"), logged);
		assert_int_equal(says(f, "more than 9 MPI calls"), logged);
		assert_int_equal(says(f, "start the program by its launcher"), !logged);
		done(&r, &a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logged_calls_speak_for_their_messages_without_a_replay),
		cmocka_unit_test(growth_is_an_upper_bound_of_what_hides_in_it),
		cmocka_unit_test(one_node_and_no_siblings_leave_nothing),
		cmocka_unit_test(waits_without_bytes_are_not_surely_a_disks),
		cmocka_unit_test(kernel_time_without_faults_is_not_surely_memorys),
		cmocka_unit_test(without_stacks_the_allocator_may_be_in_all_that_grew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
