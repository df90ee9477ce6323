/*
 * Calibrations where memory, huge pages, CPUs or disk are few, and where they are interrupted.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "support/calibration_files.h"

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

	if (E2E_SANITIZED || access("/proc/self/maps", R_OK) != 0)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
		T(files_that_cannot_be_read_are_said_before_anything_is_measured),
		T(an_unwritable_place_is_said_before_anything_is_measured),
		T(without_huge_pages_base_pages_are_measured_and_called_so),
		T(a_full_disk_leaves_no_scratch_file),
		T(one_cpu_has_no_pairs_and_says_so),
		T(too_little_memory_is_said_and_nothing_is_made_up),
		T(ctrl_c_leaves_no_profile_no_file_and_no_process),
	};

	return cmocka_run_group_tests_name("e2e_calibrate", tests, NULL, NULL);
}
