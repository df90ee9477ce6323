/*
 * Records that cannot be used or written, and calls of the system that fail.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_calls.h"
#include "support/record_runs.h"

/* ---- records that cannot be used ------------------------------------------------------------- */

static void what_is_no_record_is_refused_with_the_place_of_the_fault(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "bad.json"},
		{"not a record\n", "bad.json"},
		{"{\"kind\": \"something else\", \"schema\": 1}\n", "bad.json"},
		{"[]\n", "bad.json"},
	};
	struct e2e *const e = *state;
	struct e2e_result r;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		e2e_write(e2e_path(e, "bad.json"), row[i].text);
		e2e_run(e, &r, "report", "bad.json");
		e2e_expect_status(&r, 4);
		e2e_expect_error(&r, row[i].says);
		e2e_result_free(&r);
		e2e_run(e, &r, "--resume", "bad.json");
		e2e_expect_status(&r, 4);
		e2e_result_free(&r);
	}
	e2e_run(e, &r, "report", "not-there.json");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "not-there.json");
	e2e_result_free(&r);
}

static void a_record_of_another_schema_is_neither_read_nor_replaced(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *record;
	char *before, *after;
	size_t n, m;

	make_record(e, "r.json");
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	json_object_set_new(record, "schema", json_integer(2));
	assert_int_equal(json_dump_file(record, e2e_path(e, "r.json"), 0), 0);
	json_decref(record);
	before = e2e_read(e2e_path(e, "r.json"), &n);
	e2e_run(e, &r, "report", "r.json");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "schema");
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1", "-o", "r.json", e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "-o");
	e2e_result_free(&r);
	after = e2e_read(e2e_path(e, "r.json"), &m);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, n);
	free(before);
	free(after);
}

/* ---- places that cannot be written ----------------------------------------------------------- */

static void a_file_that_is_no_record_is_never_replaced(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *text;
	size_t n;

	e2e_write(e2e_path(e, "thesis.txt"), "ten years of work\n");
	e2e_run(e, &r, "--cores", "1", "-o", "thesis.txt", "/bin/sh", "-c", "echo >> ran");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "thesis.txt");
	e2e_result_free(&r);
	text = e2e_read(e2e_path(e, "thesis.txt"), &n);
	assert_string_equal(text, "ten years of work\n");
	free(text);
	assert_int_equal(mkfifo(e2e_path(e, "pipe"), 0600), 0);
	e2e_run(e, &r, "--cores", "1", "-o", "pipe", "/bin/sh", "-c", "echo >> ran");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "pipe");
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "ran"), F_OK), -1);
}

static void an_older_record_is_replaced_with_a_word(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	make_record(e, "r.json");
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "-o", "r.json", e2e_program(e, "scales"),
		"0.01");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "r.json");
	e2e_result_free(&r);
}

static void a_folder_that_takes_no_file_is_said_before_the_first_run(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "-o", "no/such/folder/r.json", "/bin/sh", "-c",
		"echo >> ran");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "no/such/folder/r.json");
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1", "-o", "/proc/r.json", "/bin/sh", "-c", "echo >> ran");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "/proc/r.json");
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "ran"), F_OK), -1);
}

static void a_disk_that_fills_up_keeps_the_record_of_before(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const char *const full = e2e_path(e, "full");
	/* from the third run on there is no room left beside the record; each run is long enough
	 * for its own write, which is put off where it would take more than a share of the time */
	const char *const fill = "echo >> ran; sleep .4; [ $(wc -l < ran) -lt 3 ] || "
				 "head -c 999999 /dev/zero > full/fill 2>/dev/null; true";

	assert_int_equal(mkdir(full, 0755), 0);
	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", full, "tmpfs", 0, "size=512k") < 0)
		e2e_skip(__func__, "only root may mount a small file system");
	e2e_run(e, &r, "--cores", "1", "--repeats", "9", "-o", "full/r.json", "/bin/sh", "-c",
		fill);
	e2e_expect_status(&r, 4);
	expect_said(&r, "No space left");
	e2e_result_free(&r);
	assert_true(e2e_runs_in(e2e_path(e, "full/r.json")) >= 2);
	assert_int_equal(unlink(e2e_path(e, "full/fill")), 0);
	e2e_run(e, &r, "report", "full/r.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	assert_int_equal(umount2(full, MNT_DETACH), 0);
}

static void a_tree_that_is_read_only_is_said_and_read(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	make_record(e, "r.json");
	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount(e->folder, e->folder, NULL, MS_BIND, NULL) < 0 ||
		mount(NULL, e->folder, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
		e2e_skip(__func__, "only root may mount it so");
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "Read-only file system");
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "r.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	assert_int_equal(umount2(e->folder, MNT_DETACH), 0);
}

static int small_files(void *ctx)
{
	const struct rlimit limit = {1024, 1024};

	(void)ctx;
	return setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_limit_on_file_sizes_is_an_error_and_not_a_death(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, small_files, NULL, "--cores", "1", "-o", "r.json",
		e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "r.json");
	e2e_result_free(&r);
}

/* ---- calls that fail ------------------------------------------------------------------------- */

/* So many calls of each kind fail; SD_FAULTS_EACH=1: every one (make faults). */
#define TRIED 5

/* Removes what a command makes. */
static void begin_anew(const struct e2e *e)
{
	unlink(e2e_path(e, "made.json"));
	unlink(e2e_path(e, "site.db"));
	unlink(e2e_path(e, "node.json"));
}

static void expect_each_call_may_fail(
	struct e2e *e, const char *kind, const char *const *args, int measures, size_t most)
{
	char preload[8400], count[300];
	struct fault f = {.preload = preload, .count = count};
	struct e2e_result whole, r;
	size_t n, tried;

	fault_preload(e, preload, sizeof preload);
	snprintf(count, sizeof count, "%s", e2e_path(e, "count"));
	unlink(count);
	begin_anew(e);
	snprintf(f.what, sizeof f.what, "%s:0", kind);
	e2e_run_args(e, &whole, inject, &f, args);
	e2e_expect_status(&whole, 0);
	n = size_of(count);
	assert_true(n > 0 || strcmp(kind, "open") != 0); /* it was preloaded */
	tried = getenv("SD_FAULTS_EACH") || n < most ? n : most;
	for (size_t i = 0; i < tried; i++) {
		begin_anew(e);
		/* the first, the last, and as far from each other as they can be; of one the middle
		 */
		snprintf(f.what, sizeof f.what, "%s:%zu", kind,
			tried > 1 ? 1 + i * (n - 1) / (tried - 1) : (n + 1) / 2);
		e2e_run_args(e, &r, inject, &f, args);
		expect_coped(e, &f, &r, &whole, measures);
		e2e_result_free(&r);
	}
	e2e_result_free(&whole);
}

/* Two nodes, which ssh finds calibrated. */
static void make_nodes(struct e2e *e)
{
	char text[8400], here[4200];

	assert_non_null(getcwd(here, sizeof here));
	e2e_write(e2e_path(e, "hosts"), "n1\nn2\n");
	snprintf(text, sizeof text, "#!/bin/sh\ncat %s/tests/fixtures/fuzz_profile/levels.json\n",
		here);
	e2e_write(e2e_path(e, "ssh"), text);
	assert_int_equal(chmod(e2e_path(e, "ssh"), 0700), 0);
	snprintf(text, sizeof text, "%s:%s", e->folder, getenv("PATH"));
	assert_int_equal(setenv("PATH", text, 1), 0);
}

static void whatever_call_fails_it_is_coped_with_or_said(void **state)
{
	static const char *const kind[] = {/* the first not where a sanitizer has the memory */
		"memory", "open", "read", "write", "mmap", "fork", "pipe", "kernel"};
	struct e2e *const e = *state;
	static const char *const calibrate[] = {
		"calibrate", "frequency", "--quick", "--cores", "1", "-o", "node.json", NULL};
	char *const program = strdup(e2e_program(e, "half_serial"));
	const struct {
		const char *args[12];
		int measures;
	} row[] = {
		{{"report", "r.json"}, 0},
		{{"report", "--format", "json", "r.json"}, 0},
		{{"check", "r.json", "--require", "wall@1<=9", "--undecided", "pass"}, 0},
		{{"compare", "r.json", "r.json"}, 0},
		{{"import", "--from", "csv", "t.csv", "-o", "made.json"}, 0},
		{{"history", "."}, 0},
		{{"fleet", "import", "--db", "fleet.db", "."}, 1},
		{{"fleet", "calibrate", "--hosts", "hosts", "--engine", "ssh", "--db", "site.db"},
			1},
		{{"--cores", "1", "--repeats", "1", "--experiments", "none", "-o", "made.json",
			 "--", program, "0.01"},
			1},
	};

#ifdef __SANITIZE_THREAD__
	e2e_skip(__func__, "the sanitizer's library must be the first that is preloaded");
#endif
	make_record(e, "r.json");
	e2e_write(e2e_path(e, "t.csv"), "cores,seconds\n1,4.1\n1,4.0\n2,2.2\n2,2.1\n");
	make_nodes(e);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (size_t k = E2E_SANITIZED; k < sizeof kind / sizeof *kind; k++)
			expect_each_call_may_fail(e, kind[k], row[i].args, row[i].measures, TRIED);
	/* each takes seconds */
	for (size_t k = E2E_SANITIZED; k < sizeof kind / sizeof *kind; k++)
		expect_each_call_may_fail(e, kind[k], calibrate, 1, 1);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(what_is_no_record_is_refused_with_the_place_of_the_fault),
		E2E_TEST(a_record_of_another_schema_is_neither_read_nor_replaced),
		E2E_TEST(a_file_that_is_no_record_is_never_replaced),
		E2E_TEST(an_older_record_is_replaced_with_a_word),
		E2E_TEST(a_folder_that_takes_no_file_is_said_before_the_first_run),
		E2E_TEST(a_disk_that_fills_up_keeps_the_record_of_before),
		E2E_TEST(a_tree_that_is_read_only_is_said_and_read),
		E2E_TEST(a_limit_on_file_sizes_is_an_error_and_not_a_death),
		E2E_TEST(whatever_call_fails_it_is_coped_with_or_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
