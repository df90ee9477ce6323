/*
 * Logs of ranks from files: what is no log is passed over, what is damaged harms nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi/mpi_fragment.h"
#include "mpi/mpi_sites.h"
#include "support/mpi_logs.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/scalediag-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	sd_mpi_fragments_remove(folder);
	return rmdir(folder);
}

static void put(const char *name, const void *bytes, size_t n)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void drop(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

static void ranks_are_read_in_their_order(void **state)
{
	struct sd_mpi_fragments f;
	struct sd_mpi_sites sites = {0};
	struct sd_mpi_run run = {0};
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 5, 4, 2);
	for (size_t r = 0; r < 5; r++)
		mpi_logs_call(&l, r, SD_MPI_ALL, -1, 1, 2);
	mpi_logs_end(&l, 3);
	assert_int_equal(mpi_logs_write(&l, folder), 0);
	put("note.mpi", "no log", 6);
	put("other.txt", "no log", 6);
	assert_int_equal(sd_mpi_fragments_open(&f, folder), 0);
	assert_int_equal(f.n_rank, 5);
	assert_int_equal(f.unreadable, 1);
	for (size_t r = 0; r < 5; r++) {
		assert_int_equal(f.rank[r].head->rank, r);
		assert_int_equal(f.rank[r].n_event, 1);
		assert_false(f.rank[r].unfinished);
	}
	/* the place is one for all ranks */
	assert_int_equal(sd_mpi_sites_make(&sites, &f, NULL, &run), 0);
	assert_int_equal(run.n_site, 1);
	assert_string_equal(run.site[0].call, "MPI_Allreduce");
	assert_int_equal(f.rank[4].site[0], 0);
	sd_mpi_sites_free(&sites);
	free(run.site);
	sd_mpi_fragments_close(&f);
	/* only ranks' files are removed */
	sd_mpi_fragments_remove(folder);
	drop("note.mpi");
	drop("other.txt");
	mpi_logs_free(&l);
}

static void a_rank_that_died_keeps_what_it_did(void **state)
{
	struct sd_mpi_fragments f;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 8, 1);
	for (int i = 0; i < 3; i++)
		mpi_logs_call(&l, 0, SD_MPI_ALL, -1, i + 1, i + 1.5);
	l.head[0]->events = 5; /* two places taken, and never written */
	assert_int_equal(mpi_logs_write(&l, folder), 0);
	l.head[1]->magic = 0; /* it never came out of MPI_Init() */
	sd_mpi_fragments_remove(folder);
	assert_int_equal(mpi_logs_write(&l, folder), 0);
	assert_int_equal(sd_mpi_fragments_open(&f, folder), 0);
	assert_int_equal(f.n_rank, 1);
	assert_int_equal(f.unreadable, 1);
	assert_int_equal(f.rank[0].n_event, 3);
	assert_true(f.rank[0].unfinished);
	assert_true(f.rank[0].head->final >= f.rank[0].event[2].leave);
	sd_mpi_fragments_close(&f);
	mpi_logs_free(&l);
}

static void what_is_out_of_bounds_is_made_harmless(void **state)
{
	struct sd_mpi_event *e;
	struct sd_mpi_rank rank;
	struct mpi_logs l;

	(void)state;
	mpi_logs_make(&l, 2, 8, 1);
	for (int i = 0; i < 2; i++)
		mpi_logs_call(&l, 0, SD_MPI_ALL, -1, i + 1, i + 1.5);
	e = mpi_logs_events(l.head[0]);
	e[1].kind = 60000;
	e[1].site = 77;
	e[1].comm = 3;
	e[1].peer = 2;
	e[1].thread = 60000;
	e[0].enter = UINT64_MAX;
	assert_int_equal(sd_mpi_fragment_check(l.head[0], mpi_logs_bytes(l.head[0]), &rank), 0);
	assert_int_equal(rank.event[1].kind, SD_MPI_TIME);
	assert_int_equal(rank.event[1].site, UINT32_MAX);
	assert_int_equal(rank.event[1].comm, SD_MPI_NO_COMM);
	assert_int_equal(rank.event[1].peer, SD_MPI_NOBODY);
	assert_true(rank.event[1].thread < SD_MPI_LOG_THREADS);
	assert_true(rank.event[0].enter <= rank.event[0].leave);
	l.head[0]->sites = SD_MPI_LOG_SITES + 1;
	assert_int_not_equal(sd_mpi_fragment_check(l.head[0], mpi_logs_bytes(l.head[0]), &rank), 0);
	assert_int_not_equal(sd_mpi_fragment_check(l.head[0], 100, &rank), 0);
	mpi_logs_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			ranks_are_read_in_their_order, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_rank_that_died_keeps_what_it_did, make_folder, remove_folder),
		cmocka_unit_test(what_is_out_of_bounds_is_made_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
