/*
 * Ranks whose losses are known: what the replay says of them, and who waits for whom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi/mpi_account.h"
#include "support/mpi_logs.h"

#define close_to(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static struct sd_mpi_run *account(struct mpi_logs *l, size_t hosts)
{
	struct sd_mpi_run *const run = calloc(1, sizeof *run);

	run->host = calloc(hosts, sizeof *run->host);
	run->n_host = hosts;
	run->site = calloc(1, sizeof *run->site);
	run->n_site = 1;
	assert_int_equal(sd_mpi_account(mpi_logs_read(l), run), 0);
	mpi_logs_free(l);
	return run;
}

static void imbalance_is_what_the_others_wait_for_the_slowest(void **state)
{
	struct sd_mpi_run *run;
	struct sd_mpi_means of;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 4, 8, 1);
	for (int step = 0; step < 5; step++)
		for (size_t r = 0; r < 4; r++)
			mpi_logs_call(&l, r, SD_MPI_ALL, -1, 3.5 * step + (r == 2 ? 3 : 1),
				3.5 * step + 3.5)
				->order = (uint32_t)step;
	mpi_logs_end(&l, 17.5);
	run = account(&l, 1);
	of = sd_mpi_run_means(run);
	assert_true(run->divided);
	close_to(run->elapsed, 17.5);
	close_to(of.longest, 15);
	close_to(of.useful, 7.5);
	close_to(run->ideal, 15);
	close_to(run->ideal_delayed, 15);
	assert_int_equal(run->n_wait, 1);
	assert_int_equal(run->wait[0].peer, 2);
	assert_int_equal(run->wait[0].ranks, 3);
	assert_int_equal(run->wait[0].first, 0);
	assert_int_equal(run->wait[0].last, 3);
	assert_int_equal(run->wait[0].site, 1);
	close_to(run->wait[0].seconds, 5 * 3 * 2);
	sd_mpi_run_free(run);
}

/* Each rank computes a second when it has the one before's message; nobody could be faster. */
static void a_chain_is_serialised(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 3, 8, 1);
	for (size_t r = 0; r < 3; r++) {
		const double begin = 1.5 * (double)r;

		if (r > 0)
			mpi_logs_call(&l, r, SD_MPI_RECV, (int)r - 1, 0, begin);
		if (r < 2)
			mpi_logs_call(&l, r, SD_MPI_SEND, (int)r + 1, begin + 1, begin + 1.5);
		mpi_logs_call(&l, r, SD_MPI_ALL, -1, r < 2 ? begin + 1.5 : begin + 1, 4);
	}
	mpi_logs_end(&l, 4);
	run = account(&l, 1);
	close_to(sd_mpi_run_means(run).longest, 1);
	close_to(run->ideal, 3); /* the messages' two half seconds are transfer */
	close_to(run->elapsed, 4);
	assert_true(run->unmatched == 0);
	sd_mpi_run_free(run);
}

static void times_without_a_cpu_are_no_work(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 8, 1);
	mpi_logs_call(&l, 0, SD_MPI_ALL, -1, 2, 2)->off = 1000000; /* us: half of it */
	mpi_logs_call(&l, 1, SD_MPI_ALL, -1, 1, 2);
	mpi_logs_end(&l, 2);
	run = account(&l, 1);
	close_to(run->ideal, 1);
	close_to(run->ideal_delayed, 2);
	close_to(sd_mpi_run_means(run).useful, 1);
	sd_mpi_run_free(run);
}

/* Receives are matched in the order they were posted, also when another one ends first. */
static void requests_belong_to_what_started_them(void **state)
{
	struct sd_mpi_event *e;
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 16, 1);
	mpi_logs_call(&l, 0, SD_MPI_IRECV, 1, 0, 0)->request = 1;
	mpi_logs_call(&l, 0, SD_MPI_IRECV, 1, 0, 0)->request = 2;
	mpi_logs_call(&l, 0, SD_MPI_WAIT, -1, 1, 5);
	e = mpi_logs_call(&l, 0, SD_MPI_RECEIVED, 1, 1, 5);
	e->request = 2;
	e = mpi_logs_call(&l, 0, SD_MPI_RECEIVED, 1, 1, 5);
	e->request = 1;
	mpi_logs_call(&l, 1, SD_MPI_ISEND, 0, 2, 2)->request = 1;
	mpi_logs_call(&l, 1, SD_MPI_ISEND, 0, 5, 5)->request = 2;
	mpi_logs_end(&l, 5);
	run = account(&l, 1);
	assert_true(run->unmatched == 0);
	close_to(run->ideal, 5);
	assert_int_equal(run->n_wait, 1);
	assert_int_equal(run->wait[0].kind, SD_MPI_WAIT_LATE_SENDER);
	close_to(run->wait[0].seconds, 4); /* once, not for each request */
	sd_mpi_run_free(run);
}

/* A large send that lasts until its receiver comes waited for it; a small one is sent on its own.
 */
static void a_late_receiver_holds_large_sends_only(void **state)
{
	static const struct {
		uint32_t bytes;
		double ideal;
	} row[] = {{1 << 20, 6}, {8, 5}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sd_mpi_run *run;
		struct mpi_logs l;

		mpi_logs_make(&l, 2, 8, 1);
		mpi_logs_call(&l, 0, SD_MPI_SEND, 1, 1, 2)->bytes = row[i].bytes;
		mpi_logs_call(&l, 1, SD_MPI_RECV, 0, 2, 2);
		mpi_logs_end(&l, 6);
		l.head[1]->final = MPI_LOGS_START + 2000000000u;
		run = account(&l, 1);
		assert_int_equal(run->n_wait, i == 0);
		close_to(run->ideal, row[i].ideal);
		if (i == 0)
			assert_int_equal(run->wait[0].kind, SD_MPI_WAIT_LATE_RECEIVER);
		sd_mpi_run_free(run);
	}
}

/* The root's data is what the others wait for; the root waits for nobody. */
static void calls_with_a_root_wait_one_way(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 3, 8, 1);
	for (size_t r = 0; r < 3; r++)
		mpi_logs_call(&l, r, SD_MPI_FROM, 0, r == 0 ? 2 : 0, 2);
	for (size_t r = 0; r < 3; r++)
		mpi_logs_call(&l, r, SD_MPI_TO, 0, r == 1 ? 4 : 2,
			r == 0   ? 4
			: r == 1 ? 4
				 : 2)
			->order = 1;
	mpi_logs_end(&l, 4);
	run = account(&l, 1);
	close_to(run->ideal, 4);
	assert_int_equal(run->n_wait, 2);
	assert_int_equal(run->wait[0].peer, 0); /* both for the root */
	close_to(run->wait[0].seconds, 4);
	assert_int_equal(run->wait[1].peer, 1); /* the root for rank 1 */
	close_to(run->wait[1].seconds, 2);
	sd_mpi_run_free(run);
}

/* The clock of the second node is a minute behind, which nothing says but the calls. */
static void clocks_of_nodes_are_brought_together(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 64, 2);
	for (int step = 0; step < 20; step++)
		for (size_t r = 0; r < 2; r++) {
			struct sd_mpi_event *const e = mpi_logs_call(&l, r, SD_MPI_ALL, -1,
				4.0 * step + (r == (size_t)(step == 7) ? 4 : 1), 4.0 * step + 4);

			e->order = (uint32_t)step;
		}
	mpi_logs_end(&l, 80);
	for (uint32_t k = 0; k < l.head[1]->events; k++) {
		mpi_logs_events(l.head[1])[k].enter += 60000000000ull;
		mpi_logs_events(l.head[1])[k].leave += 60000000000ull;
	}
	l.head[1]->inited += 60000000000ull;
	l.head[1]->final += 60000000000ull;
	run = account(&l, 2);
	close_to(run->elapsed, 80);
	close_to(run->ideal, 80);
	assert_int_equal(run->n_wait, 2);
	assert_int_equal(run->wait[0].peer, 0);
	close_to(run->wait[0].seconds, 19 * 3);
	sd_mpi_run_free(run);
}

static void a_missing_rank_leaves_nothing_divided(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 8, 1);
	mpi_logs_call(&l, 0, SD_MPI_ALL, -1, 1, 2);
	mpi_logs_call(&l, 1, SD_MPI_ALL, -1, 2, 2);
	mpi_logs_end(&l, 2);
	l.head[1]->finalized = 0;
	run = account(&l, 1);
	assert_int_equal(run->status, SD_STATUS_OK);
	assert_false(run->divided);
	assert_non_null(strstr(run->why, "MPI_Finalize"));
	assert_int_equal(run->n_rank, 2);
	assert_true(run->rank[1].lost && !run->rank[0].lost);
	sd_mpi_run_free(run);
}

/* A wait for a message that is in no log does not hold the others up for ever. */
static void what_cannot_be_matched_ends(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 8, 1);
	mpi_logs_call(&l, 0, SD_MPI_RECV, 1, 1, 2);
	mpi_logs_call(&l, 1, SD_MPI_ALL, -1, 1, 2); /* the other never comes */
	mpi_logs_end(&l, 3);
	run = account(&l, 1);
	assert_true(run->unmatched == 2);
	assert_true(run->ideal <= 3);
	sd_mpi_run_free(run);
}

static void scans_wait_for_the_ranks_below(void **state)
{
	struct sd_mpi_run *run;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 3, 8, 1);
	for (size_t r = 0; r < 3; r++)
		mpi_logs_call(&l, r, SD_MPI_BELOW, -1, r == 1 ? 5 : 1, r == 0 ? 1 : 5);
	mpi_logs_end(&l, 5); /* rank 0 computes on */
	run = account(&l, 1);
	close_to(run->ideal, 5);
	assert_true(run->unmatched == 0);
	sd_mpi_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(imbalance_is_what_the_others_wait_for_the_slowest),
		cmocka_unit_test(a_chain_is_serialised),
		cmocka_unit_test(times_without_a_cpu_are_no_work),
		cmocka_unit_test(requests_belong_to_what_started_them),
		cmocka_unit_test(a_late_receiver_holds_large_sends_only),
		cmocka_unit_test(calls_with_a_root_wait_one_way),
		cmocka_unit_test(clocks_of_nodes_are_brought_together),
		cmocka_unit_test(a_missing_rank_leaves_nothing_divided),
		cmocka_unit_test(what_cannot_be_matched_ends),
		cmocka_unit_test(scans_wait_for_the_ranks_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
