/*
 * The library preloaded into OpenMP programs times the locks that are taken in a region, and the
 * pieces of loops that are asked for: of those that come every few ns only some, so that it changes
 * neither the program's time nor its contention.
 */
#include "openmp/omp_regions.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "record/stacks.h"
#include "support/built_file.h"
#include "symbols/symbols.h"
#include "trace/omp_log.h"

#define TIMES 1000000.0

struct seen {
	struct {
		double inside, outside; /* CPU s, by the program */
	} locks, pieces;
	/* s in all regions, by the library: of its threads, of the clock */
	double lock, scheduling, elapsed, all;
};

static json_t *run_program(const char *log)
{
	char preload[PATH_MAX + 160], folder[128], self[] = "often_locked_omp", times[] = "1000000";
	char *argv[] = {self, times, NULL}, *envp[] = {preload, folder, NULL};
	int out[2], status;
	json_t *said;
	pid_t pid;
	FILE *in;

	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", built("scalediag-omp.so"));
	snprintf(folder, sizeof folder, "SCALEDIAG_OMP_FOLDER=%s", log);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execve(built("tests/programs/often_locked_omp"), argv, envp);
		_exit(127);
	}
	close(out[1]);
	in = fdopen(out[0], "r");
	assert_non_null(in);
	said = json_loadf(in, 0, NULL);
	fclose(in);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_non_null(said);
	return said;
}

static void look(struct seen *s)
{
	char folder[] = "/tmp/scalediag-omp-XXXXXX";
	struct sd_symbols *symbols = NULL;
	struct sd_region_run *const run = calloc(1, sizeof *run);
	struct sd_stacks stacks = {0};
	json_t *said;

	*s = (struct seen){0};
	assert_non_null(run);
	assert_non_null(mkdtemp(folder));
	said = run_program(folder);
	assert_int_equal(json_unpack(said, "{s{sF sF} s{sF sF}}", "locks", "inside",
				 &s->locks.inside, "outside", &s->locks.outside, "pieces", "inside",
				 &s->pieces.inside, "outside", &s->pieces.outside),
		0);
	json_decref(said);
	assert_int_equal(sd_symbols_open(&symbols, ""), 0);
	assert_int_equal(sd_omp_regions_add(folder, symbols, &stacks, run), 0);
	for (size_t i = 0; i < run->n_row; i++) {
		s->lock += run->row[i].lock;
		s->scheduling += run->row[i].scheduling;
		s->elapsed += run->row[i].elapsed;
		s->all += run->row[i].thread_s;
	}
	sd_symbols_close(symbols);
	sd_omp_regions_remove(folder);
	assert_int_equal(rmdir(folder), 0);
	sd_region_run_free(run);
	sd_stacks_free(&stacks);
}

/* A clock read before and after each made a lock 3.4 times as much; one before and after each
 * eighth piece made a piece 3 times as much. */
static void what_comes_often_costs_hardly_more_where_it_is_timed(void **state)
{
	struct seen s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		look(&s);
		if (s.locks.inside < 1.5 * s.locks.outside &&
			s.pieces.inside < 2 * s.pieces.outside)
			break;
	}
	if (s.locks.inside >= 1.5 * s.locks.outside)
		fail_msg("%.1f ns a lock inside of a region, %.1f outside",
			1e9 / TIMES * s.locks.inside, 1e9 / TIMES * s.locks.outside);
	if (s.pieces.inside >= 2 * s.pieces.outside)
		fail_msg("%.1f ns a piece inside of a region, %.1f outside",
			1e9 / TIMES * s.pieces.inside, 1e9 / TIMES * s.pieces.outside);
	/* each stands for those that were not timed */
	assert_true(s.lock > .05 * s.elapsed);
	assert_true(s.scheduling > 0);
	assert_true(s.lock + s.scheduling <= s.all + 1e-9); /* s of rounding */
}

/* By hand: 80 and 60 ns of 100, of which imbalance and a barrier had 30. The other 70 are divided
 * as they were told, 4 to 3. */
static void estimates_are_no_more_than_a_region_has(void **state)
{
	struct sd_omp_log *const log = calloc(1, sizeof *log);
	struct sd_region_run *const run = calloc(1, sizeof *run);
	static const unsigned node[SD_OMP_LOG_REGIONS];

	(void)state;
	assert_non_null(log);
	assert_non_null(run);
	log->region[0].entries = 1;
	log->region[0].thread_ns = 100;
	log->region[0].imbalance = 20;
	log->region[0].barrier = 10;
	log->region[0].lock = 80;
	log->region[0].scheduling = 60;
	assert_int_equal(sd_omp_regions_take(log, node, run), 0);
	assert_int_equal(run->n_row, 1);
	assert_true(fabs(run->row[0].lock - 40e-9) < 1e-15);
	assert_true(fabs(run->row[0].scheduling - 30e-9) < 1e-15);
	sd_region_run_free(run);
	free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_often_costs_hardly_more_where_it_is_timed),
		cmocka_unit_test(estimates_are_no_more_than_a_region_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
