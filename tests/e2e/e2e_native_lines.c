/*
 * Contested cache lines from the samples of plain runs, without counters and without QEMU: the
 * lines of programs that fight for one, and none in those that do not.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>

#include "support/tries.h"

/* The lines of the only run at two CPUs; the record is *record. Skips where samples are not given,
 * or no user registers with them, in the tool's own words. */
static const json_t *native_of(struct e2e *e, const char *test, json_t **record,
	const char *program, const char *a, const char *b, const char *c)
{
	struct e2e_result r;
	const json_t *n;
	const char *status;

	e2e_need_two_cpus(test);
	e2e_run(e, &r, "--cores", "2", "--repeats", "1", "--experiments", "none", "-o", "r.json",
		"--", e2e_program(e, program), a, b, c);
	if (r.status == 3 && strcmp(program, "writes_code") == 0)
		e2e_skip(test, "memory may not be written and executed");
	if (r.status == 3 && strcmp(program, "split_lock") == 0)
		e2e_skip(test, "the CPU, the kernel or the hypervisor lets nobody lock the bus");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	*record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(*record);
	n = json_object_get(json_array_get(json_object_get(*record, "runs"), 0), "native");
	assert_non_null(n);
	status = json_string_value(json_object_get(n, "status"));
	assert_non_null(status);
	if (strcmp(status, "ok") != 0 || json_number_value(json_object_get(n, "samples")) < 50) {
		e2e_skip(test, strcmp(status, "ok") != 0
				       ? json_string_value(json_object_get(n, "why"))
				       : "fewer than 50 samples of user code");
	}
	return n;
}

static const json_t *native(struct e2e *e, const char *test, json_t **record, const char *program,
	const char *a, const char *b)
{
	return native_of(e, test, record, program, a, b, NULL);
}

/* The name of the line with most contested time; NULL: none. */
static const char *first_name(const json_t *record, const json_t *native)
{
	const json_t *const line = json_array_get(json_object_get(native, "lines"), 0);

	return json_string_value(
		json_array_get(json_object_get(json_object_get(record, "stacks"), "texts"),
			(size_t)json_integer_value(json_object_get(line, "name"))));
}

/* Seconds of all loops under a key. */
static double loops(const json_t *native, const char *key)
{
	double sum = 0;
	const json_t *loop;
	size_t i;

	json_array_foreach(json_object_get(native, "loops"), i, loop) sum +=
		json_number_value(json_object_get(loop, key));
	return sum;
}

static void check_coverage(const json_t *n)
{
	assert_true(json_number_value(json_object_get(n, "resolved")) >
		    .9 * json_number_value(json_object_get(n, "samples")));
}

static void expect_quiet(struct e2e *e, const char *test, const char *program, const char *b)
{
	json_t *record;
	const json_t *const n = native(e, test, &record, program, "2", b);
	const double all = loops(n, "seconds");
	const double met = loops(n, "false") + loops(n, "true");

	if (met > .02 * all)
		fail_msg("%s: %.3f of %.3f s met another thread's", program, met, all);
	json_decref(record);
}

static uint64_t mask(const json_t *sharer, const char *key)
{
	return strtoull(json_string_value(json_object_get(sharer, key)), NULL, 10);
}

static void neighbours_are_found_in_the_line_of_their_variable(void **state)
{
	struct e2e *const e = *state;
	json_t *record;
	const json_t *const n = native(e, __func__, &record, "false_sharing", "2", "300000000");
	const json_t *const line = json_array_get(json_object_get(n, "lines"), 0);
	const json_t *const sharers = json_object_get(line, "sharers");
	const char *name;

	check_coverage(n);
	/* each of both writes it in all of its loop */
	assert_true(loops(n, "false") > .5 * loops(n, "seconds"));
	assert_true(loops(n, "true") + loops(n, "lock") < .05 * loops(n, "seconds"));
	assert_string_equal(json_string_value(json_object_get(line, "sharing")), "false");
	name = first_name(record, n);
	assert_string_equal(name ? name : "", "sums[0], sums[1]");
	assert_int_equal(json_array_size(sharers), 2);
	/* the eight bytes of each, and they are neighbours */
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			__builtin_popcountll(mask(json_array_get(sharers, i), "written")), 8);
	assert_int_equal(mask(json_array_get(sharers, 0), "written") &
				 mask(json_array_get(sharers, 1), "written"),
		0);
	json_decref(record);
}

static void heap_blocks_of_two_threads_in_a_line_are_found(void **state)
{
	struct e2e *const e = *state;
	json_t *record;
	const json_t *const n = native(e, __func__, &record, "heap_sharing", "2", "400000000");
	const char *const name = first_name(record, n);

	check_coverage(n);
	assert_true(loops(n, "false") > .5 * loops(n, "seconds"));
	assert_non_null(name);
	assert_int_equal(strncmp(name, "[heap]+0x", 9), 0);
	json_decref(record);
}

static void lines_of_memory_that_processes_share_meet_by_file_and_offset(void **state)
{
	struct e2e *const e = *state;
	json_t *record;
	const json_t *const n =
		native_of(e, __func__, &record, "heap_sharing", "2", "800000000", "processes");
	const json_t *const line = json_array_get(json_object_get(n, "lines"), 0);

	assert_true(loops(n, "false") > .5 * loops(n, "seconds"));
	assert_true(json_is_true(json_object_get(json_object_get(line, "times"), "shared")));
	assert_string_equal(json_string_value(json_object_get(line, "sharing")), "false");
	assert_string_equal(first_name(record, n), "/dev/zero (deleted)+0x0");
	json_decref(record);
}

/* Words of each thread's own: no line is contested. */
static void atomic_accesses_that_lie_in_two_lines_are_named(void **state)
{
	struct e2e *const e = *state;
	json_t *record;
	const json_t *const n = native(e, __func__, &record, "split_lock", "2", "400000");
	const char *const name = first_name(record, n);

	assert_true(loops(n, "split") > .5 * loops(n, "seconds"));
	assert_non_null(name);
	assert_int_equal(strncmp(name, "lines[", 6), 0);
	json_decref(record);
	expect_quiet(e, __func__, "split_lock", "400000");
}

/* As a JIT compiler does: the bytes are in no file, and gone with the process. Where nobody says
 * which functions there are, another jump may lead into the loop: nothing is sure. */
static void code_that_the_program_wrote_is_decoded(void **state)
{
	struct e2e *const e = *state;
	json_t *record;
	const json_t *const n = native(e, __func__, &record, "writes_code", "2", "600000000");
	const char *const name = first_name(record, n);

	check_coverage(n);
	assert_true(loops(n, "false") + loops(n, "maybe") > .5 * loops(n, "seconds"));
	assert_non_null(name);
	assert_non_null(strstr(name, "words"));
	json_decref(record);
}

/* Three runs at one and two CPUs; *report says what they tell. Skips where there are no lines. */
static json_t *three_runs(struct e2e *e, const char *test, const char *program, const char *a,
	const char *b, json_t **report)
{
	struct e2e_result r;
	json_t *record;
	const json_t *run;
	size_t i;

	e2e_need_two_cpus(test);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "3", "--experiments", "none", "-o", "r.json",
		"--", e2e_program(e, program), "{n}", a, b);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		if (strcmp(json_string_value(json_object_get(n, "status")), "ok") != 0)
			e2e_skip(test, json_string_value(json_object_get(n, "why")));
	}
	e2e_run(e, &r, "report", "--format", "json", "r.json");
	e2e_expect_status(&r, 0);
	*report = json_loads(r.out, 0, NULL);
	e2e_result_free(&r);
	assert_non_null(*report);
	return record;
}

static int is_verdict(const json_t *report, const char *cause, const char *verdict)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i,
		finding) if (strcmp(json_string_value(json_object_get(finding, "cause")), cause) ==
			     0) return strcmp(json_string_value(json_object_get(finding,
						      "verdict")),
		verdict) == 0;
	fail_msg("no finding of %s", cause);
	return 0;
}

static int is_accused(const json_t *report)
{
	return is_verdict(report, "false-sharing", "likely") ||
	       is_verdict(report, "false-sharing", "confirmed") ||
	       is_verdict(report, "true-sharing", "likely") ||
	       is_verdict(report, "true-sharing", "confirmed");
}

/* s that are surely contested at the flag, of all runs at two CPUs, as a share of their time;
 * *accused: sharing is said to matter. */
static double flag_read_mostly(struct e2e *e, const char *test, const char *every, int *accused)
{
	json_t *report, *const record =
				three_runs(e, test, "read_mostly", "150000000", every, &report);
	const json_t *run;
	double met = 0, all = 0;
	size_t i;

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		met += loops(n, "false") + loops(n, "true");
		all += loops(n, "seconds");
	}
	*accused = is_accused(report);
	json_decref(record);
	json_decref(report);
	return all > 0 ? met / all : 0;
}

/* One loop, and the flag that all of it reads written 1, 10^3, 10^5 and 10^7 times a second, as far
 * as a step takes 5 ns. */
static void a_flag_that_is_seldom_written_is_not_accused(void **state)
{
	static const char *const every[] = {"100000000", "200000", "2000", "20"};
	struct e2e *const e = *state;
	double met[4];
	int accused[4];

	for (size_t i = 0; i < 4; i++)
		met[i] = flag_read_mostly(e, __func__, every[i], &accused[i]);
	assert_false(accused[0] || accused[1]);
	/* chance decides which of few samples is at a write */
	assert_true(met[0] < .05 && met[1] < .1);
	assert_true(met[3] > met[2] && met[3] > met[1] && met[3] > met[0]);
}

struct hidden {
	double read, all;        /* s of all loops at two CPUs, and of them where all read a line */
	double watched, written; /* runs that watched it, and of them that saw it written */
	double most;             /* writes a second that they leave at most; 0: no bound */
	json_t *report;
};

static void add_watched(struct hidden *h, const json_t *line)
{
	const json_t *const times = json_object_get(line, "times");
	const double most = json_number_value(json_object_get(times, "proven_most"));

	if (!json_is_number(json_object_get(times, "proven")))
		return;
	h->watched++;
	h->written += json_number_value(json_object_get(times, "writers")) > 0;
	h->most = most > h->most ? most : h->most;
}

/* The second run at two CPUs watches what the first leaves open. */
static struct hidden hidden_writer(struct e2e *e, const char *test, const char *apart)
{
	struct hidden h = {0};
	json_t *const record = three_runs(e, test, "hidden_writer", "6000000", apart, &h.report);
	const json_t *run, *line;
	size_t i, k;

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		if (json_integer_value(json_object_get(run, "point")) == 0)
			continue;
		h.read += loops(n, "read") + loops(n, "maybe") + loops(n, "false");
		h.all += loops(n, "seconds");
		json_array_foreach(json_object_get(n, "lines"), k, line) add_watched(&h, line);
	}
	json_decref(record);
	return h;
}

/* User time of a point, by its number. */
static double user_time(const json_t *report, size_t point)
{
	const json_t *const p = json_array_get(json_object_get(report, "points"), point);
	const json_t *const list = json_object_get(p, "metrics");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_object_get(json_array_get(list, i), "name")),
			    "user-time"))
			return json_number_value(json_object_get(json_array_get(list, i), "value"));
	return 0;
}

/* A plain store between two loops is at no sample: what the loops read may be written. */
static void what_no_sample_sees_written_is_not_ruled_out(void **state)
{
	struct hidden h = hidden_writer(*state, __func__, NULL);

	if (h.all < .25)
		e2e_skip(__func__, "fewer than 100 samples of user code");
	assert_true(h.read > .5 * h.all);
	if (h.watched)
		assert_true(h.written == h.watched);
	/* where the line's moves cost anything */
	if (user_time(h.report, 1) > 1.4 * user_time(h.report, 0))
		assert_false(is_verdict(h.report, "false-sharing", "ruled-out"));
	json_decref(h.report);
}

/* The same loops, and nobody writes the line: watching it tells, unless others took the CPUs. */
static void what_is_watched_and_not_written_is_bounded(void **state)
{
	struct tries t = {.test = __func__};

	while (tries_next(&t)) {
		struct hidden h = hidden_writer(*state, __func__, "apart");

		assert_false(is_accused(h.report));
		json_decref(h.report);
		assert_true(h.written == 0 && h.most < 1e5);
		tries_tell(&t, h.watched && !(h.most > 0) ? "watched, and not bounded" : NULL);
	}
}

static void padded_counters_are_private(void **state)
{
	expect_quiet(*state, __func__, "padded", "1500000000");
}

static void work_without_shared_data_is_private(void **state)
{
	expect_quiet(*state, __func__, "scales", "0.3");
}

static void memory_of_one_thread_after_the_other_is_private(void **state)
{
	expect_quiet(*state, __func__, "handed_on", "0");
}

/* The holder of the lock works alone; only the lock's word is shared. */
static void the_time_under_a_lock_is_no_sharing_of_data(void **state)
{
	expect_quiet(*state, __func__, "mutex_bound", "0.3");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		T(neighbours_are_found_in_the_line_of_their_variable),
		T(heap_blocks_of_two_threads_in_a_line_are_found),
		T(lines_of_memory_that_processes_share_meet_by_file_and_offset),
		T(atomic_accesses_that_lie_in_two_lines_are_named),
		T(code_that_the_program_wrote_is_decoded),
		T(a_flag_that_is_seldom_written_is_not_accused),
		T(what_no_sample_sees_written_is_not_ruled_out),
		T(what_is_watched_and_not_written_is_bounded),
		T(padded_counters_are_private),
		T(work_without_shared_data_is_private),
		T(memory_of_one_thread_after_the_other_is_private),
		T(the_time_under_a_lock_is_no_sharing_of_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
