/*
 * Files that are not ours are never touched: every command that writes one, against what a user may
 * have there.
 */
#include <signal.h>
#include <time.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/written_files.h"

#define THESIS "ten years of work\n"

static void expect_text(const struct e2e *e, const char *name, const char *text)
{
	size_t n;
	char *const there = e2e_read(e2e_path(e, name), &n);

	assert_string_equal(there, text);
	free(there);
}

/* A command, and the file of it that stands for what is somebody else's, an input, or a link. */
struct writer {
	const char *args[16];
	const char *output;
	int status; /* of a refusal */
};

static const struct writer writers[] = {
	{{"--cores", "1", "-o", "o.json", "--", "/bin/sh", "-c", "echo >ran"}, "o.json", 2},
	{{"--cores", "1", "-o", "r.json", "--", "/bin/sh", "-c", "echo >ran"}, "r.scalediag.out",
		2},
	{{"--cores", "1", "-o", "r.json", "--", "/bin/sh", "-c", "echo >ran"}, "r.scalediag.err",
		2},
	{{"--cores", "1", "-o", "r.json", "--html", "o.html", "--", "/bin/sh", "-c", "echo >ran"},
		"o.html", 2},
	{{"report", "--html", "o.html", "in.json"}, "o.html", 2},
	{{"check", "in.json", "--require", "wall@1<=9", "--junit", "o.xml"}, "o.xml", 2},
	{{"calibrate", "timers", "--cores", "1", "-o", "o.json"}, "o.json", 2},
	{{"learn", "1", "--html", "o.html"}, "o.html", 2},
	{{"import", "--from", "csv", "in.csv", "-o", "o.json"}, "o.json", 2},
};

static void begin(struct e2e *e, const struct writer *w)
{
	make_record(e, "in.json");
	e2e_write(e2e_path(e, "in.csv"), "cores,wall_s\n1,1.0\n1,1.1\n2,0.6\n2,0.6\n");
	unlink(e2e_path(e, w->output));
}

static void end(struct e2e *e, const struct writer *w, const struct e2e_result *r)
{
	if (r->status != w->status || !strstr(r->err, w->output))
		fail_msg("scalediag %s ... with %s: status %d: %.300s", w->args[0], w->output,
			r->status, r->err);
	/* before measuring */
	assert_int_equal(access(e2e_path(e, "ran"), F_OK), -1);
}

/* Is the file known by its name? A program's output is, as the name is ours: only another's is
 * foreign there. */
static int by_name(const struct writer *w)
{
	return strstr(w->output, ".scalediag.") != NULL;
}

static void no_command_replaces_a_foreign_file(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		const struct writer *const w = &writers[i];

		if (by_name(w))
			continue;
		begin(e, w);
		e2e_write(e2e_path(e, w->output), THESIS);
		e2e_run_args(e, &r, NULL, NULL, w->args);
		end(e, w, &r);
		expect_text(e, w->output, THESIS);
		unlink(e2e_path(e, w->output));
		e2e_result_free(&r);
	}
}

static void no_command_writes_through_a_link(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		const struct writer *const w = &writers[i];

		begin(e, w);
		e2e_write(e2e_path(e, "thesis"), THESIS);
		assert_int_equal(symlink("thesis", e2e_path(e, w->output)), 0);
		e2e_run_args(e, &r, NULL, NULL, w->args);
		end(e, w, &r);
		expect_text(e, "thesis", THESIS);
		unlink(e2e_path(e, w->output));
		e2e_result_free(&r);
	}
}

static void no_command_takes_a_folder_for_a_file(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		const struct writer *const w = &writers[i];

		begin(e, w);
		assert_int_equal(mkdir(e2e_path(e, w->output), 0700), 0);
		e2e_run_args(e, &r, NULL, NULL, w->args);
		end(e, w, &r);
		assert_int_equal(rmdir(e2e_path(e, w->output)), 0);
		e2e_result_free(&r);
	}
}

static void no_command_replaces_what_it_reads(void **state)
{
	static const char *const args[][8] = {
		{"report", "--html", "in.json", "in.json"},
		{"report", "--html", "./hard.json", "in.json"},
		{"check", "in.json", "--require", "wall@1<=9", "--junit", "in.json"},
		{"import", "--from", "csv", "in.csv", "-o", "in.csv"},
		{"--cores", "1", "-o", "in.json", "--html", "in.json", "/bin/true"},
	};
	struct e2e *const e = *state;
	struct e2e_result r;
	char *before, *after;
	size_t n, m;

	begin(e, &writers[0]);
	assert_int_equal(link(e2e_path(e, "in.json"), e2e_path(e, "hard.json")), 0);
	before = e2e_read(e2e_path(e, "in.json"), &n);
	for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
		e2e_run_args(e, &r, NULL, NULL, args[i]);
		e2e_expect_status(&r, 2);
		e2e_result_free(&r);
		after = e2e_read(e2e_path(e, "in.json"), &m);
		assert_int_equal(n, m);
		assert_memory_equal(before, after, n);
		free(after);
	}
	free(before);
	expect_text(e, "in.csv", "cores,wall_s\n1,1.0\n1,1.1\n2,0.6\n2,0.6\n");
}

/* The names of what a program prints carry the record's, and ours. */
static void a_program_beside_its_record_is_not_emptied(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	struct stat st;

	e2e_write(e2e_path(e, "a.out"), "#!/bin/sh\necho printed\n");
	e2e_write(e2e_path(e, "a.err"), THESIS);
	assert_int_equal(chmod(e2e_path(e, "a.out"), 0700), 0);
	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "-o", "a.json", "./a.out");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	expect_text(e, "a.out", "#!/bin/sh\necho printed\n");
	expect_text(e, "a.err", THESIS);
	expect_text(e, "a.scalediag.out", "printed\n");
	/* arguments, environment values and stacks are their owner's */
	assert_int_equal(stat(e2e_path(e, "a.json"), &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
}

static void a_record_keeps_its_mode(void **state)
{
	static const mode_t modes[] = {0600, 0640, 0644};
	struct e2e *const e = *state;
	struct stat st;

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		make_record(e, "m.json");
		assert_int_equal(chmod(e2e_path(e, "m.json"), modes[i]), 0);
		make_record(e, "m.json");
		assert_int_equal(stat(e2e_path(e, "m.json"), &st), 0);
		assert_int_equal(st.st_mode & 07777, modes[i]);
	}
}

static void a_failed_run_costs_no_older_record(void **state)
{
	static const char *const failing[][12] = {
		{"--cores", "1", "--rate", "typo", "-o", "r.json", "/bin/true"},
		{"--cores", "1", "-o", "r.json", "/bin/false"},
		{"--cores", "1", "--prepare", "false", "-o", "r.json", "/bin/true"},
		{"--cores", "1", "--timeout", "0.1", "-o", "r.json", "/bin/sleep", "5"},
	};
	struct e2e *const e = *state;
	struct e2e_result r;
	char *before, *after;
	size_t n, m;

	make_record(e, "r.json");
	before = e2e_read(e2e_path(e, "r.json"), &n);
	for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
		e2e_run_args(e, &r, NULL, NULL, failing[i]);
		assert_int_not_equal(r.status, 0);
		e2e_result_free(&r);
		after = e2e_read(e2e_path(e, "r.json"), &m);
		assert_int_equal(n, m);
		assert_memory_equal(before, after, n);
		free(after);
	}
	free(before);
}

/* Good runs at one core count are no report of two: they lie beside the older record, and are not
 * lost. */
static void a_run_that_fails_at_its_second_count_stays_beside_the_older_record(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *before, *after;
	size_t n, m;

	e2e_need_two_cpus(__func__);
	make_record(e, "r.json");
	before = e2e_read(e2e_path(e, "r.json"), &n);
	/* by this seed the block begins with one core, so that there is a good run */
	e2e_run(e, &r, "--cores", "1,2", "--seed", "1", "--experiments", "none", "-o", "r.json",
		e2e_program(e, "fails_at_two"), "0.02");
	e2e_expect_status(&r, 3);
	e2e_result_free(&r);
	after = e2e_read(e2e_path(e, "r.json"), &m);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
	assert_true(e2e_runs_in(e2e_path(e, "r.unfinished.scalediag.json")) >= 1);
}

/* Wherever the program is when the emulator ends, its counts arrive, and no file of them stays. */
static void the_software_pmu_counts_what_runs_elsewhere(void **state)
{
	static const char *const elsewhere[][16] = {
		{"--cores", "1", "--repeats", "1", "--events", "sim", "--experiments", "none",
			"--cwd", "sub", "-o", "r.json", "--", "/bin/sh", "-c", ":"},
		{"--cores", "1", "--repeats", "1", "--events", "sim", "--experiments", "none", "-o",
			"r.json", "--", "/bin/sh", "-c", "cd sub && cd .."},
		{"--cores", "1", "--repeats", "1", "--events", "sim", "--experiments", "none", "-o",
			"r.json", "--", "/bin/sh", "-c", "cd /"},
	};
	struct e2e *const e = *state;
	struct e2e_result r;

	assert_int_equal(mkdir(e2e_path(e, "sub"), 0700), 0);
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		const char *args[17] = {NULL};
		json_t *record, *run;
		size_t k, simulated = 0;

		memcpy(args, elsewhere[i], sizeof elsewhere[i]);
		unlink(e2e_path(e, "r.json"));
		e2e_run_args(e, &r, NULL, NULL, args);
		if (r.status == 2 && strstr(r.err, "qemu"))
			e2e_skip(__func__, "no qemu-user here");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
		json_array_foreach(json_object_get(record, "runs"), k, run)
		{
			const json_t *const s = json_object_get(run, "simulated");

			simulated += json_array_size(json_object_get(s, "threads")) > 0;
		}
		json_decref(record);
		assert_true(simulated > 0);
		assert_int_equal(files_below(e2e_path(e, "sub")), 0);
		/* the record, and what the program printed */
		assert_int_equal(files_below(e->folder), 4);
	}
	assert_int_equal(access("/r.scalediag.sim", F_OK), -1);
}

/* ---- two at once, and one killed outright ---- */

/* Waits until the record, which is an older one's or still beside it, has runs of the job. */
static void await_runs(const struct e2e *e, const char *name, long runs)
{
	for (int i = 0; i < 3000 && e2e_runs_in(e2e_path(e, name)) < runs; i++)
		e2e_nap(10);
	assert_true(e2e_runs_in(e2e_path(e, name)) >= runs);
}

static void of_two_at_once_the_second_is_told_and_the_first_is_whole(void **state)
{
	static const char *const slow[] = {"--cores", "1", "--repeats", "8", "--samples", "none",
		"--experiments", "none", "-o", "r.json", "/bin/sleep", "0.2", NULL};
	struct e2e *const e = *state;
	struct e2e_result first, second;
	struct e2e_job job;

	e2e_start(e, &job, NULL, NULL, slow);
	await_runs(e, "r.json", 1);
	e2e_run_args(e, &second, NULL, NULL, slow);
	assert_int_not_equal(second.status, 0);
	e2e_expect_error(&second, "another scalediag");
	e2e_result_free(&second);
	e2e_wait(&job, &first, 60);
	e2e_expect_status(&first, 0);
	e2e_result_free(&first);
	assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 8);
	assert_int_equal(access(e2e_path(e, "r.scalediag.lock"), F_OK), -1);
}

static void killed_outright_it_loses_no_run_of_either_record_and_locks_nobody_out(void **state)
{
	static const char *const slow[] = {"--cores", "1", "--repeats", "50", "--samples", "none",
		"--experiments", "none", "-o", "r.json", "/bin/sleep", "0.1", NULL};
	struct e2e *const e = *state;
	struct e2e_result r;
	struct e2e_job job;
	long older;

	make_record(e, "r.json");
	older = e2e_runs_in(e2e_path(e, "r.json"));
	e2e_start(e, &job, NULL, NULL, slow);
	/* one core count, one good run: worth a report */
	for (int i = 0; i < 3000 && e2e_runs_in(e2e_path(e, "r.json")) == older; i++)
		e2e_nap(10);
	await_runs(e, "r.json", 1);
	kill(job.pid, SIGKILL);
	e2e_wait(&job, &r, 10);
	e2e_result_free(&r);
	assert_true(e2e_runs_in(e2e_path(e, "r.json")) >= 1);
	make_record(e, "r.json");
}

static int other_home(void *home)
{
	return setenv("HOME", home, 1) || unsetenv("XDG_CACHE_HOME");
}

static void nothing_is_left_in_a_home_unless_something_is_saved_there(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char home[300];

	snprintf(home, sizeof home, "%s", e2e_path(e, "home"));
	assert_int_equal(mkdir(home, 0700), 0);
	e2e_run_hooked(e, &r, other_home, home, "--cores", "1", "--repeats", "2", "-o", "r.json",
		"/bin/true");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, other_home, home, "report", "r.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, other_home, home, "doctor");
	e2e_result_free(&r);
	assert_int_equal(files_below(home), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(no_command_replaces_a_foreign_file),
		E2E_TEST(no_command_writes_through_a_link),
		E2E_TEST(no_command_takes_a_folder_for_a_file),
		E2E_TEST(no_command_replaces_what_it_reads),
		E2E_TEST(a_program_beside_its_record_is_not_emptied),
		E2E_TEST(a_record_keeps_its_mode),
		E2E_TEST(a_failed_run_costs_no_older_record),
		E2E_TEST(a_run_that_fails_at_its_second_count_stays_beside_the_older_record),
		E2E_TEST(the_software_pmu_counts_what_runs_elsewhere),
		E2E_TEST(of_two_at_once_the_second_is_told_and_the_first_is_whole),
		E2E_TEST(nothing_is_left_in_a_home_unless_something_is_saved_there),
		E2E_TEST(killed_outright_it_loses_no_run_of_either_record_and_locks_nobody_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
