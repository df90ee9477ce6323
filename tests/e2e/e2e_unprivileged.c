/*
 * Samples of an ordinary user.
 */
#include "support/sampled_losses.h"

/* As nobody: the group first, which only root may leave. */
static int become_nobody(void *ctx)
{
	(void)ctx;
	return setgid(65534) || setuid(65534);
}

static void an_ordinary_user_gets_samples_of_user_code_and_no_made_up_stacks(void **state)
{
	struct e2e *e = *state;
	struct taken t;

	if (getuid() != 0) {
		print_message("SKIP: %s: needs root to become another user\n", __func__);
		skip();
	}
	assert_int_equal(chown(e->folder, 65534, 65534), 0);
	if (access("/proc/sys/kernel/perf_event_paranoid", R_OK)) {
		print_message("SKIP: %s: no perf here\n", __func__);
		skip();
	}
	take(e, &t, __func__, "half_serial", become_nobody);
	if (strcmp(status_of(&t, "status"), "ok") != 0) {
		/* then nothing is claimed */
		assert_int_equal(json_array_size(json_object_get(t.sampled, "uses")), 0);
		return;
	}
	assert_true(sum(&t, "useful", "work", SECONDS) > 0);
	if (strcmp(status_of(&t, "kernel"), "denied") == 0)
		assert_true(sum(&t, "kernel-other", NULL, SECONDS) == 0);
}

/* Waits that the kernel gives no stacks of are seen all the same. */
static void an_ordinary_user_gets_the_locks_name_and_who_waits_for_it(void **state)
{
	struct e2e *e = *state;
	struct taken t;
	const json_t *lock;
	json_int_t name;

	if (getuid() != 0) {
		print_message("SKIP: %s: needs root to become another user\n", __func__);
		skip();
	}
	assert_int_equal(chown(e->folder, 65534, 65534), 0);
	take(e, &t, __func__, "sleeps_locked", become_nobody);
	need(&t, __func__, "status");
	if (strcmp(status_of(&t, "switch_stacks"), "denied") != 0) {
		print_message("SKIP: %s: users are given stacks at switches here\n", __func__);
		skip();
	}
	lock = json_array_get(json_object_get(t.sampled, "locks"), 0);
	expect(&t, __func__, "no lock", lock != NULL);
	name = json_integer_value(json_object_get(lock, "name"));
	assert_string_equal(json_string_value(json_object_get(lock, "kind")), "mutex");
	assert_non_null(strstr(json_string_value(json_array_get(t.text, (size_t)name)), "shared"));
	/* all is seen but for the calls before a thread was first looked at, and what is likened */
	expect(&t, __func__, "waits of less than half of the run",
		sum(&t, "mutex", "part", SECONDS) > 0.25);
	assert_true(sum(&t, "mutex", "part", SECONDS) > 0.9 * sum(&t, "mutex", NULL, SECONDS));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		T(an_ordinary_user_gets_samples_of_user_code_and_no_made_up_stacks),
		T(an_ordinary_user_gets_the_locks_name_and_who_waits_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
