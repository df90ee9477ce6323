/*
 * OpenMP's constructs, and the runtime loaded with the wait policy of one's choice.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "support/kernel_fixture.h"
#include "kernels/kernels.h"
#include "loops/openmp_runtime.h"

static void sum_up(void *data)
{
	__atomic_fetch_add((int *)data, 1, __ATOMIC_RELAXED);
}

/* Two that are loaded are not one, and both work. */
static int differ(const struct sd_openmp_runtime *a, const struct sd_openmp_runtime *b)
{
	int n = 0;

	a->parallel(sum_up, &n, 1, 0);
	b->parallel(sum_up, &n, 1, 0);
	return a->parallel != b->parallel && a->barrier != b->barrier && n == 2;
}

/* Loading changes a process for good: each try has a child of its own. Its -errno, made
 * positive. */
static int load_in_child(const char *library, unsigned cpu, int twice)
{
	const struct sd_cpulist cpus = {.cpu = &cpu, .n = 1};
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct sd_openmp_runtime omp, other;
		int rc = sd_openmp_runtime_load(
			&omp, library, SD_OPENMP_RUNTIME_WAIT_PASSIVE, &cpus);

		if (!rc && twice)
			rc = sd_openmp_runtime_load(
				&other, library, SD_OPENMP_RUNTIME_WAIT_ACTIVE, &cpus);
		if (!rc && twice && !differ(&omp, &other))
			rc = -EPROTO;
		_exit(-rc);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void what_is_no_openmp_runtime_is_refused(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	assert_int_equal(load_in_child("libnonexistent.so.1", f.pu[0].os, 0), ELIBACC);
	assert_int_equal(load_in_child("libanl.so.1", f.pu[0].os, 0), ELIBACC);
}

static int have_libgomp(void)
{
	struct fixture f;

	fixture_init(&f, 1);
	return load_in_child("libgomp.so.1", f.pu[0].os, 0) == 0;
}

#define NEEDS_LIBGOMP()                                                           \
	do {                                                                      \
		if (!have_libgomp()) {                                            \
			fprintf(stderr, "SKIP: %s: no libgomp.so.1\n", __func__); \
			skip();                                                   \
		}                                                                 \
	} while (0)

static void a_process_that_has_a_runtime_gets_another_with_its_own_settings(void **state)
{
	struct fixture f;

	(void)state;
	/* there the second copy is seen to be no other than the first */
	FIXTURE_NEEDS_TIMES(__func__);
	NEEDS_LIBGOMP();
	fixture_init(&f, 1);
	assert_int_equal(load_in_child("libgomp.so.1", f.pu[0].os, 1), 0);
}

static void a_cpu_the_process_may_not_use_is_refused(void **state)
{
	(void)state;
	NEEDS_LIBGOMP();
	assert_int_equal(load_in_child("libgomp.so.1", SD_CPU_MAX - 1, 0), EINVAL);
}

static int all_constructs_cost_time(const struct fixture *f)
{
	static const char *const construct[] = {"barrier", "parallel-for", "reduction"};
	int held = 1;

	for (int w = 0; w < SD_OPENMP_RUNTIME_WAIT_COUNT; w++)
		for (size_t c = 0; c < 3; c++) {
			char variant[96];

			snprintf(variant, sizeof(variant),
				"runtime=libgomp wait=%s construct=%s quantity=time",
				sd_openmp_runtime_wait_name[w], construct[c]);
			held &= fixture_median(f, variant, (unsigned)f->topology.n_pu) > 0;
		}
	return held;
}

static int drop_settings(void **state)
{
	(void)state;
	unsetenv("OMP_THREAD_LIMIT");
	unsetenv("OMP_NUM_THREADS");
	unsetenv("GOMP_CPU_AFFINITY");
	return 0;
}

static void constructs_cost_time_whatever_the_users_settings_are(void **state)
{
	(void)state;
	NEEDS_LIBGOMP();
	setenv("OMP_THREAD_LIMIT", "1", 1);
	setenv("OMP_NUM_THREADS", "1", 1);
	setenv("GOMP_CPU_AFFINITY", "0", 1);
	fixture_must_hold(&sd_kernel_openmp, 2, 1, all_constructs_cost_time, __func__);
}

static int only_passive_ones_sleep(const struct fixture *f)
{
	const double passive = fixture_median(
		f, "runtime=libgomp wait=passive construct=barrier quantity=sleeps", 2);

	return passive > 0.05 &&
	       fixture_median(f, "runtime=libgomp wait=active construct=barrier quantity=sleeps",
		       2) < passive / 2;
}

static void passive_threads_sleep_at_a_barrier_and_active_ones_do_not(void **state)
{
	struct fixture f;

	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	NEEDS_LIBGOMP();
	fixture_init(&f, 2);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_must_hold(&sd_kernel_openmp, 2, 1, only_passive_ones_sleep, __func__);
}

static void the_caller_has_no_openmp_and_its_environment_is_as_before(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	setenv("OMP_WAIT_POLICY", "mine", 1);
	assert_int_equal(sd_kernel_openmp.run(&f.env, &f.rows), 0);
	assert_string_equal(getenv("OMP_WAIT_POLICY"), "mine");
	assert_null(getenv("OMP_PLACES"));
	unsetenv("OMP_WAIT_POLICY");
	assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	fixture_free(&f);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_openmp);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_openmp);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_openmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_openmp_runtime_is_refused),
		cmocka_unit_test(a_process_that_has_a_runtime_gets_another_with_its_own_settings),
		cmocka_unit_test(a_cpu_the_process_may_not_use_is_refused),
		cmocka_unit_test_teardown(
			constructs_cost_time_whatever_the_users_settings_are, drop_settings),
		cmocka_unit_test(passive_threads_sleep_at_a_barrier_and_active_ones_do_not),
		cmocka_unit_test(the_caller_has_no_openmp_and_its_environment_is_as_before),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
