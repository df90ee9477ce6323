/*
 * The regions of an OpenMP program, by the library preloaded into it, against timers that the
 * program has in the same places; as GCC compiles it, and as clang does. Both take a time on this
 * machine that is not theirs alone: what may lie between them is 3 % and what the program's threads
 * saw stolen from them meanwhile.
 */
#include "openmp/omp_regions.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "record/stacks.h"
#include "support/built_file.h"
#include "symbols/symbols.h"
#include "trace/omp_log.h"

#define ENTRIES 8.0

/* Facts of a compiler: its program, and what the name of a region has behind its function's. */
struct compiler {
	const char *program, *suffix;
};
static const struct compiler gcc = {"tests/programs/regions_omp", "._omp_fn.0"},
			     clang = {"tests/programs/regions_omp_clang", ""}, *compiler;

/* Kept from one run to the next, as by the probe. */
static struct sd_symbols *symbols;

struct fixture {
	char folder[64];
	struct sd_stacks stacks;
	struct sd_region_run *run;
	json_t *by_hand;
};

static void run_program(struct fixture *f)
{
	char preload[PATH_MAX + 160], folder[128], self[] = "regions_omp", entries[] = "8";
	char *argv[] = {self, entries, NULL}, *envp[] = {preload, folder, NULL};
	int out[2], status;
	pid_t pid;
	FILE *in;

	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", built("scalediag-omp.so"));
	snprintf(folder, sizeof folder, "SCALEDIAG_OMP_FOLDER=%s", f->folder);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execve(built(compiler->program), argv, envp);
		_exit(127);
	}
	close(out[1]);
	in = fdopen(out[0], "r");
	assert_non_null(in);
	f->by_hand = json_loadf(in, 0, NULL);
	fclose(in);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_non_null(f->by_hand);
}

static double hand(const struct fixture *f, const char *region, const char *name)
{
	return json_number_value(json_object_get(json_object_get(f->by_hand, region), name));
}

/* The row of the region of that function of the program: one that the compiler has named is called
 * by the line it begins at, too. */
static const struct sd_region_time *row_of(const struct fixture *f, const char *function)
{
	for (size_t i = 0; i < f->run->n_row; i++) {
		const struct sd_region_time *const r = &f->run->row[i];
		const struct sd_frame *const frame =
			&f->stacks.frame[f->stacks.node[r->node].frame];
		const char *const its = f->stacks.text[frame->function];
		char name[96];

		if (*compiler->suffix)
			snprintf(name, sizeof name, "%s%s [regions_omp.c:%u]", function,
				compiler->suffix, frame->line);
		else
			snprintf(name, sizeof name, "%s", function);
		if (r->node && its && strcmp(its, name) == 0) {
			assert_non_null(strstr(f->stacks.text[frame->file], "regions_omp.c"));
			assert_true(frame->line > 0);
			return r;
		}
	}
	fail_msg("no region of %s()", function);
	return NULL;
}

static double work_of(const struct sd_region_time *r)
{
	return r->thread_s - r->imbalance - r->barrier - r->lock - r->scheduling;
}

/* A region's time by both sources, s of its threads. */
struct claim {
	const char *region, *what;
	double measured, by_hand;
};

static const char *const region[] = {"even", "uneven", "critical", "barrier", "tasks", "loop"};
#define REGIONS (sizeof region / sizeof *region)
#define CLAIMS (2 * REGIONS + 3)

static void list_claims(const struct fixture *f, struct claim *c)
{
	for (size_t i = 0; i < REGIONS; i++) {
		const struct sd_region_time *const r = row_of(f, region[i]);

		*c++ = (struct claim){
			region[i], "elapsed", 2 * r->elapsed, 2 * hand(f, region[i], "outer")};
		*c++ = (struct claim){region[i], "work", work_of(r), hand(f, region[i], "busy")};
	}
	*c++ = (struct claim){"uneven", "imbalance", row_of(f, "uneven")->imbalance,
		hand(f, "uneven", "imbalance")};
	*c++ = (struct claim){"barrier", "imbalance", row_of(f, "barrier")->imbalance,
		hand(f, "barrier", "imbalance")};
	*c = (struct claim){
		"critical", "lock", row_of(f, "critical")->lock, hand(f, "critical", "lock")};
}

static double may_differ(const struct fixture *f, const struct claim *c)
{
	return .03 * 2 * hand(f, c->region, "outer") + 2 * hand(f, c->region, "stolen");
}

/* Which claims have agreed, in any of the measurements; and whether all have. */
static int agreed[CLAIMS];

static int all_have_agreed(const struct fixture *f)
{
	struct claim c[CLAIMS];
	int all = 1;

	list_claims(f, c);
	for (size_t i = 0; i < CLAIMS; i++) {
		agreed[i] |= fabs(c[i].measured - c[i].by_hand) <= may_differ(f, &c[i]);
		all &= agreed[i];
	}
	return all;
}

static struct fixture *measure(void)
{
	struct fixture *const f = calloc(1, sizeof *f);

	assert_non_null(f);
	snprintf(f->folder, sizeof f->folder, "/tmp/scalediag-omp-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	f->run = calloc(1, sizeof *f->run);
	assert_non_null(f->run);
	run_program(f);
	sd_symbols_again(symbols);
	assert_int_equal(sd_omp_regions_add(f->folder, symbols, &f->stacks, f->run), 0);
	return f;
}

static int teardown(void **state)
{
	struct fixture *const f = *state;

	sd_omp_regions_remove(f->folder);
	assert_int_equal(rmdir(f->folder), 0); /* nothing else was left in it */
	sd_region_run_free(f->run);
	sd_stacks_free(&f->stacks);
	json_decref(f->by_hand);
	free(f);
	return 0;
}

/* A CPU that the hypervisor took is seen by neither, and falls on any of them: what disagrees five
 * times is wrong. */
static int setup(void **state)
{
	memset(agreed, 0, sizeof agreed);
	for (int i = 0; i < 5; i++) {
		*state = measure();
		if (all_have_agreed(*state) || i == 4)
			break;
		teardown(state);
	}
	return 0;
}

static void each_region_agrees_with_timers_by_hand(void **state)
{
	const struct fixture *const f = *state;
	struct claim c[CLAIMS];

	for (size_t i = 0; i < REGIONS; i++) {
		const struct sd_region_time *const r = row_of(f, region[i]);

		assert_true(r->entries == ENTRIES && r->nested == 0 && r->whole == 0);
		assert_int_equal(r->least, 2);
		assert_int_equal(r->most, 2);
		/* inside of the timer around it, whatever else runs */
		assert_true(r->elapsed <= hand(f, region[i], "outer"));
		assert_true(fabs(r->thread_s - 2 * r->elapsed) < 1e-6);
	}
	list_claims(f, c);
	for (size_t i = 0; i < CLAIMS; i++)
		if (!agreed[i])
			fail_msg("%s of %s: %.6f s, by hand %.6f, and %.6f may lie between",
				c[i].what, c[i].region, c[i].measured, c[i].by_hand,
				may_differ(f, &c[i]));
}

static void waits_are_told_apart(void **state)
{
	const struct fixture *const f = *state;

	assert_true(row_of(f, "even")->lock == 0 && row_of(f, "uneven")->lock == 0);
	/* two of three ms a critical section long, each time one thread waits for the other */
	assert_true(row_of(f, "critical")->lock > 0);
}

static void tasks_and_nested_regions_are_counted(void **state)
{
	const struct fixture *const f = *state;
	double nested = 0;

	assert_true(row_of(f, "tasks")->tasks == 8 * ENTRIES);
	assert_true(row_of(f, "loop")->scheduling > 0);
	for (size_t i = 0; i < f->run->n_row; i++)
		nested += f->run->row[i].nested;
	assert_true(nested == 2 * ENTRIES);
}

/* Time between the regions is the program's serial time. */
static void serial_time_is_what_is_between(void **state)
{
	const struct fixture *const f = *state;
	double serial = 0, elapsed = 0, outer = 0;

	for (size_t i = 0; i < f->run->n_row; i++) {
		serial += f->run->row[i].serial;
		elapsed += f->run->row[i].nested > 0 ? 0 : f->run->row[i].elapsed;
	}
	outer = json_number_value(json_object_get(f->by_hand, "outside"));
	for (void *k = json_object_iter(f->by_hand); k; k = json_object_iter_next(f->by_hand, k))
		outer += json_number_value(json_object_get(json_object_iter_value(k), "outer"));
	/* start and end of the process are not the timers' */
	assert_true(serial >= 0 && elapsed <= outer);
}

static void any_bytes_are_no_log(void **state)
{
	struct sd_omp_log *const log = malloc(sizeof *log);
	struct sd_region_run run = {0};
	unsigned node[SD_OMP_LOG_REGIONS] = {0};

	(void)state;
	assert_non_null(log);
	memset(log, 0xff, sizeof *log);
	assert_int_equal(sd_omp_regions_check(log, sizeof *log), -EINVAL);
	log->magic = SD_OMP_LOG_MAGIC;
	assert_int_equal(sd_omp_regions_check(log, sizeof *log), -EINVAL);
	log->size_of_region = sizeof log->region[0];
	assert_int_equal(sd_omp_regions_check(log, sizeof *log - 1), -EINVAL);
	assert_int_equal(sd_omp_regions_check(log, sizeof *log), 0);
	assert_true(log->modules <= SD_OMP_LOG_MODULES);
	assert_int_equal(sd_omp_regions_take(log, node, &run), 0);
	for (size_t i = 0; i < run.n_row; i++)
		assert_true(run.row[i].elapsed <= 1.000001e9 && run.row[i].most <= 1u << 20);
	free(run.row);
	free(log);
}

static void programs_of_clang(void **state)
{
	(void)state;
	print_message("SKIP: programs_of_clang: there is no clang with libomp here\n");
	skip();
}

/* Runs it with the log preloaded: the entries of its regions that were logged. *status: how it
 * ended. */
static double run_in_a_sandbox(char *how, int *status)
{
	char folder[] = "/tmp/scalediag-omp-XXXXXX", preload[PATH_MAX + 160], log[128];
	char self[] = "sandboxed_omp", times[] = "50", team[] = "OMP_NUM_THREADS=2";
	char *argv[] = {self, times, how, NULL}, *envp[] = {preload, log, team, NULL};
	struct sd_region_run *const run = calloc(1, sizeof *run);
	double entries = 0;
	pid_t pid;

	assert_non_null(run);
	assert_non_null(mkdtemp(folder));
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", built("scalediag-omp.so"));
	snprintf(log, sizeof log, "SCALEDIAG_OMP_FOLDER=%s", folder);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(STDOUT_FILENO);
		execve(built("tests/programs/sandboxed_omp"), argv, envp);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, status, 0), pid);
	assert_int_equal(sd_omp_regions_add(folder, NULL, NULL, run), 0);
	for (size_t i = 0; i < run->n_row; i++)
		entries += run->row[i].entries;
	sd_omp_regions_remove(folder);
	assert_int_equal(rmdir(folder), 0);
	sd_region_run_free(run);
	return entries;
}

static int has_no_filters(const char *test, int status)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 77)
		return 0;
	print_message("SKIP: %s: no seccomp filters here\n", test);
	return 1;
}

/* A filter that kills at system calls of ours: none is called from main() on, also not where the
 * first region is inside it. */
static void a_program_in_a_sandbox_is_not_killed_by_its_log(void **state)
{
	int status;
	const double entries = run_in_a_sandbox(NULL, &status);

	(void)state;
	if (has_no_filters(__func__, status))
		return;
	assert_int_equal(status, 0);
	assert_true(entries >= 51);
}

/* Root need not give up privileges before its filter, and a child of fork() has no log yet. */
static void a_child_in_roots_sandbox_is_not_killed_by_its_log(void **state)
{
	char root[] = "root";
	int status;

	(void)state;
	(void)run_in_a_sandbox(root, &status);
	if (!has_no_filters(__func__, status))
		assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest no_clang[] = {cmocka_unit_test(programs_of_clang)};
	const struct CMUnitTest sandbox[] = {
		cmocka_unit_test(a_program_in_a_sandbox_is_not_killed_by_its_log),
		cmocka_unit_test(a_child_in_roots_sandbox_is_not_killed_by_its_log),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_region_agrees_with_timers_by_hand),
		cmocka_unit_test(waits_are_told_apart),
		cmocka_unit_test(tasks_and_nested_regions_are_counted),
		cmocka_unit_test(serial_time_is_what_is_between),
		cmocka_unit_test(any_bytes_are_no_log),
	};

	int failed;

	if (sd_symbols_open(&symbols, ""))
		return 1;
	failed = cmocka_run_group_tests_name("sandbox", sandbox, NULL, NULL);
	compiler = &gcc;
	failed += cmocka_run_group_tests_name("gcc", tests, setup, teardown);
	compiler = &clang;
	if (access(built(clang.program), X_OK))
		failed += cmocka_run_group_tests_name("clang", no_clang, NULL, NULL);
	else
		failed += cmocka_run_group_tests_name("clang", tests, setup, teardown);
	sd_symbols_close(symbols);
	return failed;
}
