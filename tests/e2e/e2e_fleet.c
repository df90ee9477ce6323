/* A fleet's calibrations: the node that is out is named, and what is no profile is left out. */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A profile that was measured, as that of another host, its bandwidth times `factor`. */
static void make_node(struct e2e *e, int i, double factor)
{
	json_t *const root = json_load_file("tests/fixtures/fuzz_profile/levels.json", 0, NULL);
	char host[32], name[64];
	json_t *row;
	size_t k;

	assert_non_null(root);
	snprintf(host, sizeof host, "n%d", i);
	snprintf(name, sizeof name, "profiles/%s.json", host);
	assert_int_equal(
		json_object_set_new(json_object_get(root, "host"), "name", json_string(host)), 0);
	json_array_foreach(json_object_get(root, "rows"), k, row)
	{
		static const char *const numbers[] = {"median", "q1", "q3", "low", "high"};

		if (strcmp(json_string_value(json_object_get(row, "kernel")), "ceiling") != 0)
			continue;
		for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
			json_object_set_new(row, numbers[j],
				json_real(factor *
					  json_number_value(json_object_get(row, numbers[j]))));
	}
	assert_int_equal(json_dump_file(root, e2e_path(e, name), 0), 0);
	json_decref(root);
}

static void the_slow_node_is_named(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	mkdir(e2e_path(e, "profiles"), 0700);
	for (int i = 0; i < 5; i++)
		make_node(e, i, 1);
	e2e_run(e, &r, "fleet", "profiles");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "0 of 5 nodes out"));
	e2e_result_free(&r);

	make_node(e, 3, 0.5);
	e2e_write(e2e_path(e, "profiles/notes.json"), "{}");
	e2e_run(e, &r, "fleet", "--tolerance", "3%", "profiles");
	e2e_expect_status(&r, 1);
	assert_non_null(strstr(r.out, "n3: bandwidth "));
	assert_non_null(strstr(r.out, ", -50.0 % from the median "));
	assert_non_null(strstr(r.out, "1 of 5 nodes out"));
	assert_non_null(strstr(r.err, "notes.json"));
	e2e_result_free(&r);
}

static void what_cannot_be_judged_is_said(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	mkdir(e2e_path(e, "profiles"), 0700);
	e2e_run(e, &r, "fleet", "profiles");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "has no profile");
	e2e_result_free(&r);
	make_node(e, 1, 1);
	e2e_run(e, &r, "fleet", "profiles");
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "1 not judged"));
	e2e_result_free(&r);
	e2e_run(e, &r, "fleet", "--tolerance", "much", "profiles");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "'much' is no share");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_slow_node_is_named, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_judged_is_said, e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests_name("fleet", tests, NULL, NULL);
}
