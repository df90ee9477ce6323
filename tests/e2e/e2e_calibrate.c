/*
 * `scalediag calibrate` as a user runs it: what it writes, what it leaves, and how it ends.
 */
#include "e2e/e2e.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/others.h"

/* The cache folder of the child is the test's own. */
static int own_cache(void *ctx)
{
	return setenv("XDG_CACHE_HOME", ctx, 1);
}

static json_t *parse(const struct e2e_result *r)
{
	json_error_t error;
	json_t *root = json_loadb(r->out, r->n_out, 0, &error);

	if (!root)
		fail_msg("not JSON: %s\n%s", error.text, r->out);
	return root;
}

/* Files under a folder, one level of folders deep. */
static size_t count_files(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	for (const struct dirent *e; d && (e = readdir(d));) {
		char inner[512];
		struct stat st;

		snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			stat(inner, &st) != 0)
			continue;
		n += S_ISDIR(st.st_mode) ? count_files(inner) : 1;
	}
	if (d)
		closedir(d);
	return n;
}

static void one_kernel_alone_gives_json_and_saves_nothing(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, rows = 0;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "frequency", "--quick", "--cores",
		"1", "--format", "json");
	e2e_expect_status(&r, 0);
	root = parse(&r);
	assert_string_equal(json_string_value(json_object_get(root, "kind")), "scalediag-profile");
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		assert_string_equal(json_string_value(json_object_get(row, "kernel")), "frequency");
		assert_int_equal(json_integer_value(json_object_get(row, "cores")), 1);
		rows++;
	}
	assert_true(rows > 0);
	assert_int_equal(count_files(e->folder), 0);
	json_decref(root);
	e2e_result_free(&r);
}

static void what_was_written_is_read_shown_and_the_same(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r, again;
	const char *path = e2e_path(e, "p.json");

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "-o", path,
		"--format", "json");
	e2e_expect_status(&r, 0);
	e2e_run(e, &again, "calibrate", "--read", path, "--format", "json");
	e2e_expect_status(&again, 0);
	assert_int_equal(r.n_out, again.n_out);
	assert_memory_equal(r.out, again.out, r.n_out);
	e2e_result_free(&again);
	e2e_run(e, &again, "calibrate", "--read", path, "--format", "csv");
	e2e_expect_status(&again, 0);
	assert_memory_equal(again.out, "kernel,", 7);
	e2e_result_free(&again);
	e2e_run(e, &again, "calibrate", "--read", path, "--html", e2e_path(e, "page.html"));
	e2e_expect_status(&again, 0);
	assert_int_equal(access(e2e_path(e, "page.html"), R_OK), 0);
	e2e_result_free(&again);
	/* never over a file that is none of ours */
	e2e_run(e, &again, "calibrate", "--read", path, "--html", path);
	e2e_expect_status(&again, 2);
	e2e_result_free(&again);
	/* a profile compared with itself has not changed */
	e2e_run(e, &again, "calibrate", "--read", path, "--compare", path);
	e2e_expect_status(&again, 0);
	assert_non_null(strstr(again.out, "nothing changed"));
	e2e_result_free(&again);
	e2e_result_free(&r);
}

/* Libraries that this program uses may bring an OpenMP runtime along, which has read its settings
 * then. */
static void openmp_is_measured_with_either_way_of_waiting(void **state)
{
	const struct others since = others_now();
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row, *const seen = json_object();
	size_t i, active = 0, passive = 0;

	e2e_run(e, &r, "calibrate", "openmp", "--quick", "--cores", "1", "--format", "json");
	e2e_expect_status(&r, 0);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const char *variant = json_string_value(json_object_get(row, "variant"));
		const int number = json_is_number(json_object_get(row, "median"));

		if (strstr(json_string_value(json_object_get(row, "why")), "not installed"))
			continue;
		if (!number) {
			others_skip(&since, __func__);
			fail_msg("%s: %s", variant, json_string_value(json_object_get(row, "why")));
		}
		/* a change of the machine's state gives a construct a second row */
		if (json_object_get(seen, variant))
			continue;
		assert_int_equal(json_object_set_new(seen, variant, json_true()), 0);
		active += (size_t)(strstr(variant, "wait=active") && number);
		passive += (size_t)(strstr(variant, "wait=passive") && number);
	}
	assert_int_equal(active, passive);
	json_decref(seen);
	json_decref(root);
	e2e_result_free(&r);
}

/* The profile with every number times `factor`, as if made of so many calibrations that agree. */
static void scale(const char *from, const char *to, double factor, int calibrations)
{
	static const char *const key[] = {"median", "q1", "q3", "low", "high"};
	json_t *root = json_load_file(from, 0, NULL), *row;
	size_t i;

	assert_non_null(root);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const double median = json_number_value(json_object_get(row, "median"));

		for (int k = 0; k < 5 && json_is_number(json_object_get(row, "median")); k++)
			json_object_set_new(row, key[k], json_real(median * factor));
		json_object_set_new(row, "calibrations", json_integer(calibrations));
		json_object_set_new(row, "between", json_real(0.001));
	}
	json_object_set_new(root, "calibrations", json_integer(calibrations));
	assert_int_equal(json_dump_file(root, to, 0), 0);
	json_decref(root);
}

static void a_node_that_changed_is_exit_status_1(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "-o",
		e2e_path(e, "p.json"), "--format", "csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	scale(e2e_path(e, "p.json"), e2e_path(e, "new.json"), 1, 3);
	scale(e2e_path(e, "p.json"), e2e_path(e, "old.json"), 0.5, 3);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "old.json"), "--format", "json");
	e2e_expect_status(&r, 1);
	assert_non_null(strstr(r.out, "\"worse\""));
	e2e_result_free(&r);
	/* one calibration does not tell what the next would be */
	scale(e2e_path(e, "p.json"), e2e_path(e, "single.json"), 0.5, 1);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "single.json"));
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "--repeat 3"));
	e2e_result_free(&r);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "new.json"));
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

/* Of the profile that is shown as of one that is measured. */
static void a_limit_that_is_broken_is_exit_status_1(void **state)
{
	static const struct {
		const char *limit;
		int status;
		const char *says;
	} rows[] = {
		{"clock>=0.000001", 0, "holds"},
		{"clock>=1000000", 1, "is broken"},
		{"latency.dram<=100", 4, "cannot be told"},
	};
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "frequency", "--quick", "-o",
		e2e_path(e, "p.json"));
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "p.json"), "--require",
			rows[i].limit);
		e2e_expect_status(&r, rows[i].status);
		assert_non_null(strstr(r.err, rows[i].says));
		e2e_result_free(&r);
	}
	/* one that is broken outweighs one that is not known */
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "p.json"), "--require", rows[2].limit,
		"--require", rows[1].limit, "--require", rows[0].limit);
	e2e_expect_status(&r, 1);
	e2e_result_free(&r);
}

static void repeated_calibrations_are_one_profile(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, several = 0;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "--repeat",
		"3", "-o", e2e_path(e, "p.json"));
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.err, "calibration 3 of 3"));
	e2e_result_free(&r);
	root = json_load_file(e2e_path(e, "p.json"), 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "calibrations")), 3);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const double low = json_number_value(json_object_get(row, "q1")),
			     high = json_number_value(json_object_get(row, "q3")),
			     median = json_number_value(json_object_get(row, "median"));

		assert_true(low <= median && median <= high);
		several += json_integer_value(json_object_get(row, "calibrations")) > 1;
	}
	assert_true(several > 0);
	json_decref(root);
	e2e_run(e, &r, "calibrate", "--repeat", "0");
	e2e_expect_status(&r, 2);
	assert_non_null(strstr(r.err, "--repeat '0'"));
	e2e_result_free(&r);
}

/* Two profiles of different kernels: nothing changed, and nothing was compared. */
static void nothing_in_common_is_no_success(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "-o",
		e2e_path(e, "a.json"), "--format", "csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "frequency", "--quick", "--cores",
		"1", "-o", e2e_path(e, "b.json"), "--format", "csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "b.json"), "--compare",
		e2e_path(e, "a.json"));
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "Not comparable"));
	assert_null(strstr(r.out, "nothing changed"));
	e2e_result_free(&r);
}

static void wrong_words_are_usage_errors_that_name_them(void **state)
{
	static const struct {
		const char *args[6];
		const char *says;
	} rows[] = {
		{{"calibrate", "tirad"}, "tirad"},
		{{"calibrate", "--cores", "0"}, "--cores"},
		{{"calibrate", "timers", "--cores", "60000"}, "--cores"},
		{{"calibrate", "--format", "xml"}, "xml"},
		{{"calibrate", "--format", "csv", "--compare", "x"}, "--compare"},
		{{"calibrate", "--read", "x", "timers"}, "--read"},
		{{"calibrate", "--sloppy"}, "sloppy"},
		{{"calibrate", "--require", "tirad>=1"}, "--require 'tirad>=1'"},
		{{"calibrate", "timers", "-o", ""}, "--output"},
		{{"calibrate", "disk"}, "--directory"},
		{{"calibrate", "timers", "--directory", "/tmp"}, "--directory '/tmp'"},
		{{"calibrate", "--directory", "/dev/null"}, "--directory '/dev/null'"},
		{{"calibrate", "disk", "--directory", "/no/such"}, "--directory '/no/such'"},
	};
	struct e2e *e = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct e2e_result r;

		e2e_run_args(e, &r, own_cache, e->folder, rows[i].args);
		e2e_expect_status(&r, 2);
		e2e_expect_error(&r, rows[i].says);
		e2e_result_free(&r);
	}
	assert_int_equal(count_files(e->folder), 0);
}

static void files_that_cannot_be_read_are_said_before_anything_is_measured(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_write(e2e_path(e, "bad.json"), "{\"kind\": \"scalediag-profile\", \"schema\": 1}\n");
	e2e_run(e, &r, "calibrate", "--compare", e2e_path(e, "bad.json"));
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "bad.json");
	e2e_result_free(&r);
	e2e_run(e, &r, "calibrate", "--compare", "/dev/zero");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "no regular file");
	e2e_result_free(&r);
	e2e_run(e, &r, "calibrate", "--compare", e2e_path(e, "none.json"));
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "none.json");
	e2e_result_free(&r);
}

static void an_unwritable_place_is_said_before_anything_is_measured(void **state)
{
	static char no_cache[] = "/proc/1/nothing";
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "calibrate", "timers", "--quick", "-o", e2e_path(e, "no/such/p.json"));
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "cannot write the profile");
	assert_int_equal(r.n_out, 0);
	e2e_result_free(&r);
	/* a whole calibration goes to the cache folder, which cannot be made here */
	e2e_run_hooked(e, &r, own_cache, no_cache, "calibrate");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, no_cache);
	e2e_result_free(&r);
	assert_int_equal(count_files(e->folder), 0);
}

static int no_huge_pages(void *ctx)
{
	(void)ctx;
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static void without_huge_pages_base_pages_are_measured_and_called_so(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, numbers = 0;

	e2e_run_hooked(e, &r, no_huge_pages, NULL, "calibrate", "triad", "--quick", "--cores", "1",
		"--format", "json");
	e2e_expect_status(&r, 0);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const char *variant = json_string_value(json_object_get(row, "variant"));

		if (json_is_null(json_object_get(row, "median")))
			continue;
		assert_null(strstr(variant, "pages=2MiB"));
		numbers++;
	}
	/* a machine with too little memory has none, but says why */
	if (numbers == 0)
		assert_true(json_array_size(json_object_get(root, "rows")) > 0);
	json_decref(root);
	e2e_result_free(&r);
}

static int full_disk(void *ctx)
{
	const struct rlimit limit = {512, 512};

	(void)ctx;
	return setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_full_disk_leaves_no_scratch_file(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, full_disk, NULL, "calibrate", "timers", "--quick", "-o",
		e2e_path(e, "p.json"));
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.err, "cannot write the profile"));
	assert_int_equal(count_files(e->folder), 0);
	e2e_result_free(&r);
}

static int one_cpu(void *ctx)
{
	cpu_set_t all, one;

	(void)ctx;
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof all, &all) != 0)
		return -1;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all)) {
			CPU_SET(i, &one);
			return sched_setaffinity(0, sizeof one, &one);
		}
	return -1;
}

static void one_cpu_has_no_pairs_and_says_so(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i;

	e2e_run_hooked(e, &r, one_cpu, NULL, "calibrate", "loaded", "transfer", "timers", "--quick",
		"--format", "json");
	e2e_expect_status(&r, 0);
	root = parse(&r);
	assert_int_equal(json_array_size(json_object_get(root, "states")), 0);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "kernel")), "timers") == 0)
			continue;
		assert_string_equal(
			json_string_value(json_object_get(row, "status")), "unsupported");
		assert_true(json_is_null(json_object_get(row, "median")));
	}
	json_decref(root);
	e2e_result_free(&r);
}

static int little_memory(void *ctx)
{
	const struct rlimit limit = {400 << 20, 400 << 20};

	(void)ctx;
	return setrlimit(RLIMIT_AS, &limit);
}

static void too_little_memory_is_said_and_nothing_is_made_up(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i;

	if (getenv("ASAN_OPTIONS") || access("/proc/self/maps", R_OK) != 0)
		e2e_skip("too_little_memory_is_said_and_nothing_is_made_up",
			"no address limit here");
	e2e_run_hooked(
		e, &r, little_memory, NULL, "calibrate", "triad", "--quick", "--format", "json");
	if (r.status != 0 && strstr(r.err, "Sanitizer")) {
		e2e_result_free(&r);
		e2e_skip("too_little_memory_is_said_and_nothing_is_made_up",
			"the sanitizer needs its shadow memory");
	}
	e2e_expect_status(&r, 0);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const char *status = json_string_value(json_object_get(row, "status"));

		/* where the real cache is small enough, 400 MiB may do */
		if (strcmp(status, "ok") != 0 && strcmp(status, "noisy") != 0) {
			assert_true(json_is_null(json_object_get(row, "median")));
			assert_true(json_string_length(json_object_get(row, "why")) > 0);
		}
	}
	json_decref(root);
	e2e_result_free(&r);
}

/* Processes that were started with this cache folder, children of children too: nobody else has
 * it. */
static size_t processes_of(const char *folder)
{
	DIR *d = opendir("/proc");
	char wanted[300];
	size_t n = 0;

	snprintf(wanted, sizeof wanted, "XDG_CACHE_HOME=%s", folder);
	for (const struct dirent *e; d && (e = readdir(d));) {
		char path[300], *text;
		size_t size;

		snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		text = e2e_read(path, &size); /* gone meanwhile: NULL */
		n += text && memmem(text, size, wanted, strlen(wanted) + 1) != NULL;
		free(text);
	}
	if (d)
		closedir(d);
	return n;
}

static void interrupt(struct e2e *e, const char *const *args)
{
	static const struct timespec while_it_measures = {.tv_nsec = 300000000};
	struct e2e_result r;
	struct e2e_job job;

	e2e_start(e, &job, own_cache, e->folder, args);
	e2e_await_handler(&job, SIGINT);
	nanosleep(&while_it_measures, NULL);
	assert_true(processes_of(e->folder) > 0);
	assert_int_equal(kill(job.pid, SIGINT), 0);
	e2e_wait(&job, &r, 60);
	if (r.status != 130)
		fail_msg("%s: status %d: %s", args[1], r.status, r.err);
	assert_non_null(strstr(r.err, "nothing was saved"));
	assert_int_equal(r.n_out, 0);
	assert_int_equal(count_files(e->folder), 0);
	assert_int_equal(processes_of(e->folder), 0);
	e2e_result_free(&r);
}

/* Every kernel has a loop of its own to leave; those with processes have them to end. */
static void ctrl_c_leaves_no_profile_no_file_and_no_process(void **state)
{
	static const char *const kernels[] = {"bandwidth", "latency", "loaded", "sharing", "locks",
		"openmp", "frequency", "tlb", "disk"};
	struct e2e *e = *state;

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		const int disk = strcmp(kernels[i], "disk") == 0;
		const char *const args[] = {"calibrate", kernels[i], "--full", "-o",
			e2e_path(e, "p.json"), disk ? "--directory" : NULL, e->folder, NULL};

		interrupt(e, args);
	}
}

static void a_whole_quick_calibration_is_kept_for_this_machine(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, ceilings = 0, missing = 0;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "--quick", "--format", "json");
	/* beside others it may not get to what matters most, and says so */
	e2e_expect_status(&r, strstr(r.err, "has no number for: ") ? 4 : 0);
	assert_non_null(strstr(r.err, "profile "));
	assert_int_equal(count_files(e->folder), 1);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const int null = json_is_null(json_object_get(row, "median"));

		/* a number, or the reason why there is none; never both, never neither */
		assert_int_equal(null, json_integer_value(json_object_get(row, "n")) == 0);
		if (null)
			assert_true(json_string_length(json_object_get(row, "why")) > 0);
		missing += (size_t)null;
		if (strcmp(json_string_value(json_object_get(row, "kernel")), "ceiling") == 0) {
			const char *variant = json_string_value(json_object_get(row, "variant"));

			/* the last key is whole */
			assert_non_null(strstr(variant, " place="));
			assert_null(strstr(variant, "bytes="));
			ceilings++;
		}
	}
	if (ceilings == 0)
		assert_true(missing > 0);
	json_decref(root);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
		T(one_kernel_alone_gives_json_and_saves_nothing),
		T(what_was_written_is_read_shown_and_the_same),
		T(openmp_is_measured_with_either_way_of_waiting),
		T(a_node_that_changed_is_exit_status_1),
		T(repeated_calibrations_are_one_profile),
		T(a_limit_that_is_broken_is_exit_status_1),
		T(nothing_in_common_is_no_success),
		T(wrong_words_are_usage_errors_that_name_them),
		T(files_that_cannot_be_read_are_said_before_anything_is_measured),
		T(an_unwritable_place_is_said_before_anything_is_measured),
		T(without_huge_pages_base_pages_are_measured_and_called_so),
		T(a_full_disk_leaves_no_scratch_file),
		T(one_cpu_has_no_pairs_and_says_so),
		T(too_little_memory_is_said_and_nothing_is_made_up),
		T(a_whole_quick_calibration_is_kept_for_this_machine),
		T(ctrl_c_leaves_no_profile_no_file_and_no_process),
	};

	return cmocka_run_group_tests_name("e2e_calibrate", tests, NULL, NULL);
}
