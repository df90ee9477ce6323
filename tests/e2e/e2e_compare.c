/*
 * Two records held against each other, and requirements on one, as a build server uses them.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/simulated_lines.h"

/* A record of a program whose half is serial: what it loses does not depend on the machine. */
static const char *measured(struct e2e *e, const char *name)
{
	struct e2e_result r;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("SKIP: one CPU: nothing scales or fails to\n");
		skip();
	}
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "-o", name,
		e2e_program(e, "half_serial"), "0.1");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	return name;
}

static json_t *parsed(const struct e2e_result *r)
{
	json_error_t error;
	json_t *root = json_loadb(r->out, r->n_out, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s", error.text);
	return root;
}

static void a_record_against_itself_is_noise_everywhere(void **state)
{
	struct e2e *const e = *state;
	const char *const a = measured(e, "a.json");
	struct e2e_result r;
	json_t *root, *point;
	size_t i;

	e2e_run(e, &r, "compare", "--format", "json", a, a);
	e2e_expect_status(&r, 0);
	root = parsed(&r);
	assert_string_equal(json_string_value(json_object_get(root, "time")), "noise");
	assert_int_equal(json_array_size(json_object_get(root, "points")), 2);
	json_array_foreach(json_object_get(root, "points"), i, point)
	{
		const json_t *gain = json_object_get(point, "gain");

		assert_true(json_number_value(json_object_get(gain, "value")) == 1);
		assert_string_equal(json_string_value(json_object_get(point, "time")), "noise");
	}
	json_decref(root);
	e2e_result_free(&r);
	e2e_run(e, &r, "compare", a, a);
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "No difference: both records hold the same runs"));
	e2e_result_free(&r);
}

static void a_check_says_pass_or_fail_by_its_status(void **state)
{
	struct e2e *const e = *state;
	const char *const a = measured(e, "a.json");
	const char *const xml = e2e_path(e, "junit.xml");
	struct e2e_result r;

	/* a CPU never does more than one CPU's work: speedup over 2 cores is far below 20 */
	e2e_run(e, &r, "check", a, "--require", "speedup@2<=20", "--require", "speedup@2>=0.01");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "passed\n"));
	e2e_result_free(&r);
	e2e_run(e, &r, "check", a, "--require", "speedup@2>=20", "--junit", xml);
	e2e_expect_status(&r, 1);
	assert_non_null(strstr(r.out, "violated"));
	assert_non_null(strstr(r.out, "failed\n"));
	assert_int_equal(access(xml, R_OK), 0);
	e2e_result_free(&r);
	/* no such point: not decided, which is neither met nor violated unless asked for */
	e2e_run(e, &r, "check", a, "--require", "speedup@64>=1");
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "undecided\n"));
	e2e_result_free(&r);
	e2e_run(e, &r, "check", a, "--require", "speedup@64>=1", "--undecided", "fail");
	e2e_expect_status(&r, 1);
	e2e_result_free(&r);
	e2e_run(e, &r, "check", a, "--require", "speedup@64>=1", "--require", "speedup@2>=20");
	e2e_expect_status(&r, 1);
	e2e_result_free(&r);
	e2e_run(e, &r, "check", a, "--require", "speedup@64>=1", "--undecided", "pass");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "undecided"));
	e2e_result_free(&r);
	/* a record against itself passes at any tolerance: its noise is not between the two */
	e2e_run(e, &r, "check", a, "--baseline", a, "--tolerance", "0%", "--format", "json");
	e2e_expect_status(&r, 0);
	json_decref(parsed(&r));
	e2e_result_free(&r);
	e2e_run(e, &r, "check", a, "--baseline", a);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

/* The first run is slow, all others are not: what looks like 200 % and more is one run a count. */
static void one_run_a_count_passes_no_requirement(void **state)
{
	static const char *const format[] = {"text", "json", "markdown"};
	struct e2e *const e = *state;
	struct e2e_result r;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("SKIP: one CPU: nothing scales or fails to\n");
		skip();
	}
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "1", "--experiments", "none", "-o",
		"once.json", "--", "/bin/sh", "-c",
		"test {n} = 1 && sleep 0.3; sleep 0.1; echo done");
	e2e_expect_status(&r, 0);
	assert_null(strstr(r.out, "Scales well"));
	/* one run a count decides nothing, either way */
	assert_null(strstr(r.out, "Poor scaling"));
	assert_null(strstr(r.out, "Negative scaling"));
	assert_null(strstr(r.out, "Scales"));
	assert_non_null(strstr(r.out, "one run"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--long", "--width", "400", "once.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "decides nothing"));
	e2e_result_free(&r);
	e2e_run(e, &r, "check", "once.json", "--require", "scales");
	e2e_expect_status(&r, 4);
	e2e_result_free(&r);
	e2e_run(e, &r, "check", "once.json", "--require", "speedup>=0.1", "--require",
		"efficiency@2<=100", "--require", "wall@2<=1000", "--require",
		"no lock-contention");
	e2e_expect_status(&r, 4);
	assert_null(strstr(r.out, "met "));
	e2e_result_free(&r);
	e2e_run(e, &r, "check", "once.json", "--baseline", "once.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	for (size_t i = 0; i < sizeof format / sizeof *format; i++) {
		e2e_run(e, &r, "compare", "once.json", "once.json", "--format", format[i]);
		e2e_expect_status(&r, 0);
		assert_non_null(strstr(r.out, "No difference"));
		e2e_result_free(&r);
	}
}

/* A count of the baseline that was not measured again is not taken for as fast as before. */
static void a_count_that_was_not_measured_again_is_undecided(void **state)
{
	struct e2e *const e = *state;
	const char *const a = measured(e, "a.json");
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "5", "-o", "b.json",
		e2e_program(e, "half_serial"), "0.1");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "check", "b.json", "--baseline", a, "--tolerance", "1000%");
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "time@2"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "2", "--repeats", "2", "-o", "c.json",
		e2e_program(e, "half_serial"), "0.1");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "compare", "b.json", "c.json");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "no core count in common");
	e2e_result_free(&r);
}

static void another_program_is_said(void **state)
{
	struct e2e *const e = *state;
	const char *const a = measured(e, "a.json");
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "none", "-o", "b.json",
		"/bin/sleep", "0.1");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "compare", a, "b.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "different programs"));
	e2e_result_free(&r);
}

static void files_that_cannot_be_read_or_written_are_said(void **state)
{
	struct e2e *const e = *state;
	const char *const a = measured(e, "a.json");
	struct e2e_result r;

	e2e_run(e, &r, "compare", a, "missing.json");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "missing.json");
	e2e_result_free(&r);
	e2e_run(e, &r, "check", a, "--require", "speedup<=20", "--junit", "/no/such/folder/x.xml");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "/no/such/folder/x.xml");
	e2e_result_free(&r);
}

static void every_format_has_the_same_wall_time(void **state)
{
	struct e2e *const e = *state;
	const char *const a = measured(e, "a.json");
	const json_t *point;
	struct e2e_result r;
	char wall[64];

	e2e_run(e, &r, "report", "--format", "json", a);
	e2e_expect_status(&r, 0);
	point = json_array_get(json_object_get(e2e_report(e, &r), "points"), 1);
	snprintf(wall, sizeof wall, "2,time,wall,s,%.17g,",
		json_number_value(json_object_get(json_object_get(point, "wall_s"), "value")));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--format", "csv", a);
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, wall));
	e2e_result_free(&r);
}

/* A program of the shell that waits and prints. */
static void write_program(const struct e2e *e, const char *name, const char *text)
{
	FILE *const f = fopen(e2e_path(e, name), "w");

	assert_non_null(f);
	assert_true(fprintf(f, "#!/bin/sh\n%s\n", text) > 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(e2e_path(e, name), 0755), 0);
}

static void two_programs_are_timed_in_pairs(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *got;

	write_program(e, "before", "sleep .05; echo $1");
	write_program(e, "after", "echo $1");
	write_program(e, "other", "echo more");
	write_program(e, "fails", "exit 7");
	e2e_run(e, &r, "compare", "--json", "./before same", "./after same");
	e2e_expect_status(&r, 0);
	got = json_loads(r.out, 0, NULL);
	assert_non_null(got);
	assert_true(json_number_value(json_object_get(got, "before_s")) >= .05);
	assert_true(json_number_value(json_object_get(got, "after_s")) > 0);
	assert_true(json_integer_value(json_object_get(got, "pairs")) >= 5);
	assert_true(json_is_true(json_object_get(got, "same_output")));
	json_decref(got);
	e2e_result_free(&r);
	e2e_run(e, &r, "compare", "./after same", "./other");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "DIFFERENT"));
	e2e_result_free(&r);
	e2e_run(e, &r, "compare", "./after", "./fails");
	e2e_expect_status(&r, 3);
	e2e_expect_error(&r, "status 7");
	e2e_result_free(&r);
	/* there is nothing to say of causes */
	e2e_run(e, &r, "compare", "--format", "markdown", "./after", "./other");
	e2e_expect_status(&r, 2);
	e2e_result_free(&r);
}

/* Each thread counts in an element of one line of the cache, with odd numbers. */
static const char counts_in_a_line[] =
	"#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"static volatile long count[8];\n"
	"static void *add(void *arg)\n{\n\tconst long me = (long)arg;\n\n"
	"\tfor (long i = 0; i < 200000; i++)\n\t\tcount[me] += i & 1;\n\treturn NULL;\n}\n"
	"int main(int argc, char **argv)\n{\n\tconst long n = argc > 1 ? atol(argv[1]) : 1;\n"
	"\tpthread_t t[8];\n\tlong all = 0;\n\n"
	"\tfor (long i = 0; i < n; i++)\n\t\tpthread_create(&t[i], NULL, add, (void *)i);\n"
	"\tfor (long i = 0; i < n; i++)\n\t\tpthread_join(t[i], NULL);\n"
	"\tfor (long i = 0; i < 8; i++)\n\t\tall += count[i];\n"
	"\tprintf(\"%ld\\n\", all);\n\treturn 0;\n}\n";

/* The moves that a model counts do not depend on the machine; how much time they cost does. */
static void a_change_that_is_tried_says_which_lines_it_ended(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *trial, *left;
	char command[600], *text;
	json_t *root;
	size_t n;

	need_emulator(__func__);
	e2e_write(e2e_path(e, "a.c"), counts_in_a_line);
	snprintf(command, sizeof command, "cd '%s' && cc -O1 -g -pthread -o a a.c", e->folder);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own words */
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "1", "--experiments", "none", "--events",
		"sim", "-o", "r.json", "--", "./a", "{n}");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "fix", "--json", "--try", "cc -O1 -g -pthread -o a a.c", "r.json");
	/* 1: no gain, or none that can be told, as on a machine whose cores share their caches */
	if (r.status != 0 && r.status != 1)
		e2e_expect_status(&r, 0);
	root = parsed(&r);
	trial = json_object_get(root, "try");
	assert_string_equal(text_of(trial, "output"), "same");
	assert_true(json_integer_value(json_object_get(trial, "pairs")) >= 5);
	left = json_array_get(json_object_get(trial, "left"), 0);
	assert_string_equal(text_of(left, "object"), "count");
	assert_true(json_is_true(json_object_get(left, "gone")));
	assert_int_equal(json_integer_value(json_object_get(left, "lines")), 0);
	json_decref(root);
	e2e_result_free(&r);
	text = e2e_read(e2e_path(e, "a.c"), &n);
	assert_string_equal(text, counts_in_a_line); /* a copy was changed */
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
		TEST(a_record_against_itself_is_noise_everywhere),
		TEST(a_check_says_pass_or_fail_by_its_status),
		TEST(one_run_a_count_passes_no_requirement),
		TEST(a_count_that_was_not_measured_again_is_undecided),
		TEST(another_program_is_said),
		TEST(files_that_cannot_be_read_or_written_are_said),
		TEST(every_format_has_the_same_wall_time),
		TEST(two_programs_are_timed_in_pairs),
		TEST(a_change_that_is_tried_says_which_lines_it_ended),
#undef TEST
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
