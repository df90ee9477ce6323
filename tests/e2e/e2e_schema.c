/*
 * The JSON report against its published schema (configs/schema), by Python's jsonschema: every
 * report fits it, and it knows every name that a report has.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Validates argv[2] against argv[1]; with a third word no name may be unknown to the schema. Exits
 * 77 without jsonschema. */
static const char script[] =
	"import json, sys\n"
	"try:\n"
	"    import jsonschema\n"
	"except ImportError:\n"
	"    sys.exit(77)\n"
	"schema, report = (json.load(open(p)) for p in sys.argv[1:3])\n"
	"open_objects = ('sampling', 'experiments', 'estimates')\n"
	"def close(x, name=''):\n"
	"    if isinstance(x, dict):\n"
	"        if 'properties' in x and name not in open_objects:\n"
	"            x['additionalProperties'] = False\n"
	"        for k, v in x.items():\n"
	"            close(v, name if k in ('anyOf', 'items') else k)\n"
	"    elif isinstance(x, list):\n"
	"        for v in x:\n"
	"            close(v, name)\n"
	"if len(sys.argv) > 3:\n"
	"    close(schema)\n"
	"errors = list(jsonschema.Draft202012Validator(schema).iter_errors(report))\n"
	"for e in errors[:5]:\n"
	"    print('/'.join(map(str, e.absolute_path)), e.message[:300])\n"
	"sys.exit(1 if errors else 0)\n";

static int validate(const char *report, const char *strict)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execl("/usr/bin/python3", "python3", "-c", script,
			"configs/schema/report.schema.json", report, strict, (char *)NULL);
		_exit(77);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_file(const char *path, const char *text, size_t n)
{
	FILE *const f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static void expect(int got, int wanted)
{
	if (got == 77) {
		print_message("SKIP: no /usr/bin/python3 with jsonschema\n");
		skip();
	}
	assert_int_equal(got, wanted);
}

static void a_measured_report_fits_and_has_no_name_of_its_own(void **state)
{
	struct e2e *const e = *state;
	const char *const path = e2e_path(e, "report.json");
	struct e2e_result r;
	char *name;

	e2e_run(e, &r, "--json", "--cores", "1", "--repeats", "5", e2e_program(e, "scales"),
		"0.02");
	e2e_expect_status(&r, 0);
	write_file(path, r.out, r.n_out);
	expect(validate(path, NULL), 0);
	expect(validate(path, "strict"), 0);
	/* and what does not fit is found */
	name = strstr(r.out, "\"wall_s\"");
	assert_non_null(name);
	memcpy(name, "\"wall_x\"", 8);
	write_file(path, r.out, r.n_out);
	expect(validate(path, NULL), 1);
	e2e_result_free(&r);
}

static void an_imported_report_fits(void **state)
{
	struct e2e *const e = *state;
	const char *const path = e2e_path(e, "report.json");
	char here[4096], csv[4200];
	struct e2e_result r;

	assert_non_null(getcwd(here, sizeof here));
	snprintf(csv, sizeof csv, "%s/tests/fixtures/published/proxy_8180M.csv", here);
	e2e_run(e, &r, "import", "--from", "csv", "--json", "--app", "HPCCG", csv);
	e2e_expect_status(&r, 0);
	write_file(path, r.out, r.n_out);
	expect(validate(path, "strict"), 0);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
		TEST(a_measured_report_fits_and_has_no_name_of_its_own),
		TEST(an_imported_report_fits),
#undef TEST
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
