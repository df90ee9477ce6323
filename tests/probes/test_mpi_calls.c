/*
 * The logs of 4,096 ranks on 128 nodes, made up so that their losses are known, through the probe:
 * merged and divided within the time and memory that a report may take.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "base/clock.h"
#include "probe/accountant.h"
#include "probes/probes.h"
#include "record/stacks.h"
#include "support/mpi_logs.h"

#define RANKS 4096u
#define NODES 128u
#define STEPS 60
#define BYTES (1 << 20) /* KiB: one GiB */

/* A step: all compute, the last rank twice as much; allreduce. Then each pair one after the other:
 * the first computes and sends, the second computes when it has the message; barrier. The network
 * takes its time in each. */
#define MOST 2e-3
#define EACH 1e-3
#define TURN .5e-3
#define NETWORK .25e-3
#define STEP (MOST + NETWORK + 2 * TURN + 2 * NETWORK)

static void step(struct mpi_logs *l, int k)
{
	const double begin = k * STEP, met = begin + MOST + NETWORK, got = met + TURN + NETWORK;
	const double end = begin + STEP;

	for (size_t r = 0; r < RANKS; r++) {
		const int first = r % 2 == 0;

		mpi_logs_call(l, r, SD_MPI_ALL, -1, begin + (r + 1 == RANKS ? MOST : EACH), met)
			->order = (uint32_t)(2 * k);
		mpi_logs_call(l, r, first ? SD_MPI_SEND : SD_MPI_RECV, (int)(first ? r + 1 : r - 1),
			first ? met + TURN : met, first ? met + TURN : got);
		mpi_logs_call(l, r, SD_MPI_ALL, -1, first ? met + TURN : got + TURN, end)->order =
			(uint32_t)(2 * k + 1);
	}
}

static void four_thousand_ranks_are_divided_in_a_gigabyte(void **state)
{
	const double busiest = STEPS * (MOST + TURN),
		     mean = STEPS * (EACH + TURN + (MOST - EACH) / RANKS);
	const double ideal = STEPS * (MOST + 2 * TURN), all = STEPS * STEP;
	struct sd_stacks stacks = {0};
	struct sd_run run = {0};
	struct sd_probe_target target = {.accountant = &sd_accountant_rules, .stacks = &stacks};
	char folder[] = "/tmp/scalediag-test-XXXXXX";
	struct sd_mpi_means of;
	struct rusage use;
	struct mpi_logs l;
	double began;
	void *probe;

	(void)state;
	target.mpi_folder = mkdtemp(folder);
	assert_non_null(target.mpi_folder);
	mpi_logs_make(&l, RANKS, 3 * STEPS, NODES);
	for (int k = 0; k < STEPS; k++)
		step(&l, k);
	mpi_logs_end(&l, all);
	assert_int_equal(sd_probe_mpi_calls.open(&probe, &target), 0);
	sd_probe_mpi_calls.start(probe);
	assert_int_equal(mpi_logs_write(&l, folder), 0);
	mpi_logs_free(&l);
	began = sd_clock_s();
	sd_probe_mpi_calls.stop(probe, &run);
	print_message("%u ranks, %d events each: %.2f s\n", RANKS, 3 * STEPS, sd_clock_s() - began);
	getrusage(RUSAGE_SELF, &use);
	/* how long it takes is printed and not judged: that is the machine's; instrumented, it
	 * takes several times the memory, too */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_true(use.ru_maxrss < BYTES);
#endif
	sd_probe_mpi_calls.close(probe);
	assert_int_equal(rmdir(folder), 0); /* it leaves no file */

	assert_non_null(run.mpi);
	assert_true(run.mpi->divided);
	assert_int_equal(run.mpi->n_rank, RANKS);
	assert_int_equal(run.mpi->n_host, NODES);
	of = sd_mpi_run_means(run.mpi);
	assert_true(fabs(of.useful / of.longest - mean / busiest) < .01);
	assert_true(fabs(of.longest / run.mpi->ideal - busiest / ideal) < .01);
	assert_true(fabs(run.mpi->ideal / run.mpi->elapsed - ideal / all) < .01);
	/* all wait for the last rank, and every second one for the one before it */
	assert_int_equal(run.mpi->wait[0].peer, RANKS - 1);
	assert_int_equal(run.mpi->wait[0].ranks, RANKS - 1);
	sd_run_free(&run);
	sd_stacks_free(&stacks);
}

/* 2 ranks that logged no call, and computed for 1 s each between MPI_Init() and MPI_Finalize(): the
 * launch probe tells when that was, and the other one nothing more. Where one died, or logged its
 * calls, the launch is not told. */
static void ranks_that_log_their_launch_alone_tell_when_they_computed(void **state)
{
	enum { LAUNCH, DIED, CALLS };

	(void)state;
	for (int k = LAUNCH; k <= CALLS; k++) {
		struct sd_stacks stacks = {0};
		struct sd_run run = {0};
		struct sd_probe_target target = {
			.accountant = &sd_accountant_rules, .stacks = &stacks};
		char folder[] = "/tmp/scalediag-test-XXXXXX";
		void *probe[2];
		struct mpi_logs l;

		target.mpi_folder = mkdtemp(folder);
		assert_non_null(target.mpi_folder);
		mpi_logs_make(&l, 2, 1, 1);
		mpi_logs_end(&l, 1);
		for (int i = 0; i < 2; i++)
			l.head[i]->size_of_event = k == CALLS ? l.head[i]->size_of_event : 0;
		l.head[1]->finalized = k == DIED ? 0 : l.head[1]->finalized;
		assert_int_equal(sd_probe_mpi_launch.open(&probe[0], &target), 0);
		assert_int_equal(sd_probe_mpi_calls.open(&probe[1], &target), 0);
		assert_int_equal(mpi_logs_write(&l, folder), 0);
		mpi_logs_free(&l);
		sd_probe_mpi_launch.stop(probe[0], &run);
		assert_int_equal(run.regions && run.regions->n_span == 1, k == LAUNCH);
		sd_probe_mpi_calls.stop(probe[1], &run);
		if (k == LAUNCH) {
			assert_int_equal(run.regions->span->from, MPI_LOGS_START);
			assert_int_equal(
				run.regions->span->to - run.regions->span->from, 1000000000);
			assert_true(run.mpi->launch && run.mpi->expected == 2);
			assert_true(fabs(run.mpi->elapsed - 1) < 1e-9);
			assert_true(fabs(run.mpi->cpu.value - 2) < 1e-9);
		}
		assert_int_equal(run.mpi && run.mpi->n_rank == 2, k == CALLS);
		sd_probe_mpi_launch.close(probe[0]);
		sd_probe_mpi_calls.close(probe[1]);
		assert_int_equal(rmdir(folder), 0);
		sd_run_free(&run);
		sd_stacks_free(&stacks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_thousand_ranks_are_divided_in_a_gigabyte),
		cmocka_unit_test(ranks_that_log_their_launch_alone_tell_when_they_computed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
