/* The history of a program: its commits are those that were checked out, and what is no record is
 * left out. */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ONE "0123456789abcdef0123456789abcdef01234567"
#define TWO "89abcdef0123456789abcdef0123456789abcdef"

/* The folder of the test becomes the top of a working tree at this commit; git is not run. */
static void check_out(struct e2e *e, const char *commit)
{
	mkdir(e2e_path(e, ".git"), 0700);
	e2e_write(e2e_path(e, ".git/HEAD"), commit);
}

static void measure(struct e2e *e, const char *record)
{
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "none", "-o", record,
		"--", e2e_program(e, "half_serial"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

static void rows_name_the_commit_that_was_checked_out(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *root, *records;

	mkdir(e2e_path(e, "records"), 0700);
	check_out(e, ONE "\n");
	measure(e, "records/z.json");
	check_out(e, TWO "\n");
	measure(e, "records/a.json");
	e2e_write(e2e_path(e, "records/notes.json"), "{}");
	e2e_write(e2e_path(e, "records/notes.txt"), "no record either");
	e2e_run(e, &r, "history", "--format", "json", "records");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "records/notes.json");
	e2e_expect_error(&r, "left out");
	root = json_loads(r.out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	records = json_object_get(root, "records");
	assert_int_equal(json_array_size(records), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(records, 0), "commit")), ONE);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(records, 1), "commit")), TWO);
	json_decref(root);
	e2e_result_free(&r);
	e2e_run(e, &r, "history", "records");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "01234567"));
	assert_non_null(strstr(r.out, "89abcdef"));
	e2e_result_free(&r);
	e2e_run(e, &r, "history", "--html", "h.html", "records");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_out, 0);
	e2e_result_free(&r);
}

static void a_folder_without_records_is_an_error(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	mkdir(e2e_path(e, "empty"), 0700);
	e2e_run(e, &r, "history", "empty");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "empty: has no record");
	e2e_result_free(&r);
	e2e_run(e, &r, "history", "nowhere");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "nowhere: No such file");
	e2e_result_free(&r);
	e2e_run(e, &r, "history");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "no folder given");
	e2e_result_free(&r);
	e2e_run(e, &r, "history", "a", "b");
	e2e_expect_status(&r, 2);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
		TEST(rows_name_the_commit_that_was_checked_out),
		TEST(a_folder_without_records_is_an_error),
#undef TEST
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
