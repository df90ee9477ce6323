/*
 * Splits the cores of an MPI run by what its ranks logged.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "accounting/mpi_parts.h"

#define close_to(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Two ranks on two cores: 3 and 1 s of work, 1 s until the replay's end, .5 s without a CPU, .5 s
 * of messages, in 6 s with their start. The second polls in MPI for as long as the first works. */
static void fill(struct sd_run *run, struct sd_mpi_run *m, struct sd_mpi_rank_time rank[2])
{
	rank[0] = (struct sd_mpi_rank_time){.rank = 0, .useful = 3, .mpi = 2, .cpu = 3};
	rank[1] = (struct sd_mpi_rank_time){.rank = 1, .useful = 1, .mpi = 4, .cpu = 1};
	*m = (struct sd_mpi_run){.status = SD_STATUS_OK,
		.expected = 2,
		.divided = 1,
		.elapsed = 5,
		.ideal = 4,
		.ideal_delayed = 4.5,
		.rank = rank,
		.n_rank = 2};
	*run = (struct sd_run){.mpi = m};
	run->metric[SD_METRIC_WALL] = SD_OK(6);
	run->metric[SD_METRIC_USER] = SD_OK(9);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(1);
}

static double sum_of(const struct sd_run_parts *parts)
{
	double sum = 0;

	for (int i = 0; i < SD_PART_COUNT; i++)
		sum += parts->part[i];
	return sum;
}

static void what_ranks_lose_sums_to_the_capacity(void **state)
{
	struct sd_mpi_rank_time rank[2];
	struct sd_run_parts parts;
	struct sd_mpi_run m;
	struct sd_run run;
	unsigned known;

	(void)state;
	fill(&run, &m, rank);
	known = sd_run_parts_split(&run, 2, &parts);
	assert_true((known & SD_RUN_PARTS_RANKS) && (known & SD_RUN_PARTS_MPI));
	close_to(parts.part[SD_PART_IMBALANCE] * 12, 2 * (3 - 2));
	close_to(parts.part[SD_PART_SERIAL] * 12, 2 * (4 - 3));
	close_to(parts.part[SD_PART_RUN_QUEUE] * 12, 2 * .5);
	close_to(parts.part[SD_PART_MPI] * 12, 2 * .5);
	close_to(parts.part[SD_PART_LAUNCH] * 12, 2 * 1);
	/* polling is no work: of 10 s of CPU time 4 are */
	close_to((parts.part[SD_PART_USER] + parts.part[SD_PART_SYSTEM]) * 12, 4);
	close_to(parts.part[SD_PART_SYSTEM] * 12, .4);
	close_to(sum_of(&parts), 1);
}

static void threads_that_idle_outside_of_mpi_are_not_mpi(void **state)
{
	struct sd_mpi_rank_time rank[2];
	struct sd_run_parts parts;
	struct sd_mpi_run m;
	struct sd_run run;

	(void)state;
	fill(&run, &m, rank);
	/* two ranks with two threads each, of which one never works */
	assert_true(sd_run_parts_split(&run, 4, &parts) & SD_RUN_PARTS_RANKS);
	close_to(parts.part[SD_PART_IMBALANCE] * 24, 4 * (3 - 2));
	close_to((parts.part[SD_PART_USER] + parts.part[SD_PART_SYSTEM]) * 24, 4);
	close_to(parts.part[SD_PART_UNKNOWN] * 24, 4); /* nobody looked why */
	close_to(sum_of(&parts), 1);
}

static void ranks_that_are_not_all_known_divide_nothing(void **state)
{
	struct sd_mpi_rank_time rank[2];
	struct sd_run_parts parts;
	struct sd_mpi_run m;
	struct sd_run run;

	(void)state;
	fill(&run, &m, rank);
	m.divided = 0;
	assert_false(sd_run_parts_split(&run, 2, &parts) & SD_RUN_PARTS_RANKS);
	assert_false(sd_mpi_parts_known(&run));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_ranks_lose_sums_to_the_capacity),
		cmocka_unit_test(threads_that_idle_outside_of_mpi_are_not_mpi),
		cmocka_unit_test(ranks_that_are_not_all_known_divide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
