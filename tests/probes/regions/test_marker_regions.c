/*
 * Regions that programs mark, read back. The programs are this file once more, each with timers
 * placed by hand inside of its marks and around them: whatever else runs here, what is read lies
 * between the two.
 */
#include "regions/marker_regions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "markers/scalediag.h"
#include "support/file_sandbox.h"

#define ENTRIES 50

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Times that a program tells of itself, through a pipe. */
struct timers {
	uint64_t from, to;      /* the program */
	uint64_t inner, outer;  /* ns by hand, inside of the marks and around them */
	uint64_t threads_inner; /* the same of both threads */
};

static void compute(unsigned times)
{
	for (volatile unsigned i = 0; i < times * 20000; i++)
		;
}

/* ---- the programs ---------------------------------------------------------------------------- */

/* Long enough that the CPU time of every entry is read: nothing is extrapolated. */
static void timed_region(struct timers *t, const char *name)
{
	const uint64_t outer = now_ns();
	uint64_t inner;

	sd_region_begin(name);
	inner = now_ns();
	while (now_ns() - inner <= SD_REGION_TIMED_EVERY)
		;
	t->inner += now_ns() - inner;
	sd_region_end(name);
	t->outer += now_ns() - outer;
}

static void simple(struct timers *t)
{
	for (int i = 0; i < ENTRIES; i++)
		timed_region(t, "part");
}

static void nested(struct timers *t)
{
	sd_region_begin("around");
	for (int i = 0; i < ENTRIES; i++)
		timed_region(t, "part");
	sd_region_begin("around");
	compute(1);
	sd_region_end("around");
	sd_region_end("around");
}

static void mismatched(struct timers *t)
{
	sd_region_end("never begun");
	sd_region_begin("part");
	sd_region_begin("never ended");
	compute(1);
	sd_region_end("part");
	timed_region(t, "part");
}

static void unended(struct timers *t)
{
	uint64_t inner;

	sd_region_begin("part");
	inner = now_ns();
	compute(5);
	t->inner = now_ns() - inner;
}

static void many(struct timers *t)
{
	char name[32];

	for (unsigned i = 0; i < SD_MARKER_ROWS + 10; i++) {
		snprintf(name, sizeof name, "part %u", i);
		sd_region_begin(name);
		sd_region_end(name);
	}
	for (unsigned i = 0; i < SD_MARKER_DEPTH + 3; i++) {
		snprintf(name, sizeof name, "part %u", i);
		sd_region_begin(name);
	}
	for (unsigned i = SD_MARKER_DEPTH + 3; i-- > 0;) {
		snprintf(name, sizeof name, "part %u", i);
		sd_region_end(name);
	}
	timed_region(t, "part 0");
}

struct pair {
	pthread_barrier_t barrier;
	struct timers *t;
};

static void *both_in(void *ctx)
{
	struct pair *const p = ctx;
	uint64_t inner;

	sd_region_begin("part");
	inner = now_ns();
	pthread_barrier_wait(&p->barrier); /* both are in it */
	compute(20);
	__atomic_fetch_add(&p->t->threads_inner, now_ns() - inner, __ATOMIC_RELAXED);
	sd_region_end("part");
	return NULL;
}

static void threads(struct timers *t)
{
	struct pair p = {.t = t};
	const uint64_t outer = now_ns();
	pthread_t other;

	pthread_barrier_init(&p.barrier, NULL, 2);
	if (pthread_create(&other, NULL, both_in, &p))
		_exit(1);
	both_in(&p);
	pthread_join(other, NULL);
	t->outer = now_ns() - outer;
}

static void forks(struct timers *t)
{
	sd_region_begin("part");
	if (fork() == 0) {
		sd_region_begin("part");
		compute(1);
		sd_region_end("part");
		_exit(0);
	}
	wait(NULL);
	sd_region_end("part");
	timed_region(t, "other");
}

/* Without such filters it is as "simple". */
static void sandboxed(struct timers *t)
{
	(void)!file_sandbox_enter();
	simple(t);
}

static const struct program {
	const char *name;
	void (*run)(struct timers *t);
} program[] = {{"simple", simple}, {"nested", nested}, {"mismatched", mismatched},
	{"unended", unended}, {"many", many}, {"threads", threads}, {"forks", forks},
	{"sandboxed", sandboxed}};

static int run_program(const char *name)
{
	struct timers t = {.from = now_ns()};

	for (size_t i = 0; i < sizeof program / sizeof *program; i++)
		if (strcmp(program[i].name, name) == 0)
			program[i].run(&t);
	t.to = now_ns();
	return write(STDOUT_FILENO, &t, sizeof t) == sizeof t ? 0 : 1;
}

/* ---- and what is read of them ---------------------------------------------------------------- */

struct result {
	struct timers t;
	struct sd_region_run *run;
};

static void file_name(char path[64])
{
	int fd;

	snprintf(path, 64, "/tmp/scalediag-regions-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

static struct result run_and_read(const char *name, const char *judged)
{
	struct result r = {.run = calloc(1, sizeof *r.run)};
	/* what looks for leaks opens files, which the sandbox kills for */
	char path[64], markers[128], region[64], self[] = "program", how[32],
						 leaks[] = "ASAN_OPTIONS=detect_leaks=0";
	char *argv[] = {self, how, NULL}, *envp[] = {markers, region, leaks, NULL};
	uint64_t from = now_ns();
	int out[2], status;
	pid_t pid;

	assert_non_null(r.run);
	file_name(path);
	snprintf(how, sizeof how, "%s", name);
	snprintf(markers, sizeof markers, "SCALEDIAG_MARKERS=%s", path);
	snprintf(region, sizeof region, "SCALEDIAG_REGION=%s", judged);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execve("/proc/self/exe", argv, envp);
		_exit(127);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &r.t, sizeof r.t), sizeof r.t);
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(sd_marker_regions_take(path, from, now_ns(), judged, r.run), 0);
	assert_int_equal(access(path, F_OK), -1); /* it is gone */
	return r;
}

static const struct sd_region_time *row_of(const struct result *r, const char *name)
{
	const struct sd_region_time *const t =
		sd_region_run_find(r->run, SD_REGION_MARKED, name, 0);

	assert_non_null(t);
	return t;
}

static void a_region_agrees_with_timers_by_hand(void **state)
{
	struct result r = run_and_read("simple", "");
	const struct sd_region_time *const t = row_of(&r, "part");

	(void)state;
	assert_int_equal(r.run->n_row, 1);
	assert_true(t->entries == ENTRIES);
	assert_true(t->elapsed >= (double)r.t.inner * 1e-9);
	assert_true(t->elapsed <= (double)r.t.outer * 1e-9);
	assert_true(t->thread_s > .999 * t->elapsed && t->thread_s < 1.001 * t->elapsed);
	assert_int_equal(t->most, 1);
	/* One thread has no more than one CPU. Its CPU clock is read inside of the timers by hand,
	 * after the region's own; the two clocks tick apart by some parts in a thousand. */
	assert_true(sd_has(t->cpu) && t->cpu.value > 0);
	assert_true(t->cpu.value <= 1.01 * (double)r.t.outer * 1e-9);
	assert_true(t->unmatched == 0 && t->unended == 0);
	sd_region_run_free(r.run);
}

/* The first region is inside the sandbox, where its file cannot be opened any more. */
static void a_program_in_a_sandbox_is_not_killed_by_its_markers(void **state)
{
	struct result r = run_and_read("sandboxed", "");

	(void)state;
	assert_true(row_of(&r, "part")->entries == ENTRIES);
	sd_region_run_free(r.run);
}

static void regions_nest_and_recur(void **state)
{
	struct result r = run_and_read("nested", "");
	const struct sd_region_time *const part = row_of(&r, "part"), *const around =
									      row_of(&r, "around");

	(void)state;
	assert_true(part->entries == ENTRIES && around->entries == 2);
	assert_true(part->elapsed <= (double)r.t.outer * 1e-9);
	assert_true(around->elapsed >= (double)r.t.outer * 1e-9);
	assert_true(around->elapsed <= (double)(r.t.to - r.t.from) * 1e-9);
	sd_region_run_free(r.run);
}

static void mismatched_ends_are_counted_and_change_nothing(void **state)
{
	struct result r = run_and_read("mismatched", "");

	(void)state;
	assert_true(row_of(&r, "never begun")->unmatched == 1);
	assert_true(row_of(&r, "never begun")->elapsed == 0);
	assert_true(row_of(&r, "never ended")->unmatched == 1);
	assert_true(row_of(&r, "never ended")->unended == 0);
	assert_true(row_of(&r, "part")->unmatched == 0);
	assert_true(row_of(&r, "part")->entries == 2);
	sd_region_run_free(r.run);
}

static void a_region_that_the_end_of_the_program_ends_is_told(void **state)
{
	struct result r = run_and_read("unended", "");

	(void)state;
	assert_true(row_of(&r, "part")->unended == 1);
	assert_true(row_of(&r, "part")->elapsed >= (double)r.t.inner * 1e-9);
	sd_region_run_free(r.run);
}

static void too_many_regions_are_told(void **state)
{
	struct result r = run_and_read("many", "");

	(void)state;
	assert_int_equal(r.run->n_row, SD_REGION_RUN_ROWS);
	assert_true(r.run->no_row >= 10);
	assert_true(r.run->too_deep == 3);
	sd_region_run_free(r.run);
}

static void threads_in_it_at_once_are_counted(void **state)
{
	struct result r = run_and_read("threads", "*part");
	const struct sd_region_time *const t = row_of(&r, "part");

	(void)state;
	assert_int_equal(t->most, 2);
	assert_true(t->entries == 2);
	assert_true(t->thread_s >= (double)r.t.threads_inner * 1e-9);
	assert_true(t->elapsed <= (double)r.t.outer * 1e-9);
	assert_true(t->elapsed <= t->thread_s);
	assert_true(r.run->n_entry == 2 && r.run->entry[0].tid != r.run->entry[1].tid);
	assert_true(r.run->requests->p99 <= (double)r.t.outer * 1e-9);
	sd_region_run_free(r.run);
}

static void a_child_is_another_process(void **state)
{
	struct result r = run_and_read("forks", "");
	const struct sd_region_time *const t = row_of(&r, "part");

	(void)state;
	assert_int_equal(t->processes, 2);
	assert_true(t->entries == 2 && t->unmatched == 0 && t->unended == 0);
	assert_int_equal(row_of(&r, "other")->processes, 1);
	sd_region_run_free(r.run);
}

static void the_judged_one_is_known_by_when_it_was(void **state)
{
	struct result r = run_and_read("simple", "part");
	double sum = 0;

	(void)state;
	assert_string_equal(r.run->judged, "part");
	assert_int_equal(r.run->n_span, ENTRIES);
	for (size_t i = 0; i < r.run->n_span; i++) {
		assert_true(r.run->span[i].from < r.run->span[i].to);
		assert_true(!i || r.run->span[i - 1].to < r.run->span[i].from);
		assert_true(r.run->span[i].from >= r.t.from && r.run->span[i].to <= r.t.to);
		sum += (double)(r.run->span[i].to - r.run->span[i].from) * 1e-9;
	}
	assert_true(sum > .999999 * r.run->judged_s && sum < 1.000001 * r.run->judged_s);
	assert_true(sum > .999999 * row_of(&r, "part")->elapsed);
	assert_true(sum < 1.000001 * row_of(&r, "part")->elapsed);
	sd_region_run_free(r.run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_agrees_with_timers_by_hand),
		cmocka_unit_test(a_program_in_a_sandbox_is_not_killed_by_its_markers),
		cmocka_unit_test(regions_nest_and_recur),
		cmocka_unit_test(mismatched_ends_are_counted_and_change_nothing),
		cmocka_unit_test(a_region_that_the_end_of_the_program_ends_is_told),
		cmocka_unit_test(too_many_regions_are_told),
		cmocka_unit_test(threads_in_it_at_once_are_counted),
		cmocka_unit_test(a_child_is_another_process),
		cmocka_unit_test(the_judged_one_is_known_by_when_it_was),
	};

	if (argc > 1)
		return run_program(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
