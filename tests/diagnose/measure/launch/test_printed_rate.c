#include "support/measure_fakes.h"

#include "launch/printed_rate.h"

static char folder[256];

static int make(void **state)
{
	(void)state;
	make_folder(folder, sizeof folder);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	remove_folder(folder);
	return 0;
}

static const char *in_folder(const char *name)
{
	static char path[300];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* Reads these bytes by sd_printed_rate_read(). */
static int read_rate(const char *pattern, const char *bytes, size_t n, double *value, char *text)
{
	FILE *f = fopen(in_folder("out"), "w");
	struct sd_printed_rate r;
	int rc;

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(sd_printed_rate_open(&r, pattern, NULL), 0);
	rc = sd_printed_rate_read(&r, in_folder("out"), value, text, 32);
	sd_printed_rate_close(&r);
	return rc;
}

static void the_last_match_of_the_output_counts(void **state)
{
	static const struct {
		const char *pattern, *text;
		double want;
	} row[] = {
		{"([0-9.]+) ops/s", "1 ops/s\n2.5 ops/s\nend\n", 2.5},
		{"([0-9.]+) ops/s", "7 ops/s", 7},
		{"([0-9]+)", "1 2 3\n", 3},
		{"[0-9]+", "1 2 3\n", 3},
		{"rate: *([-+0-9.e]+)", "rate: 1.25e+3\n\n\n", 1250},
		{"^([0-9]+)", "12 13\nx 14\n", 12},
		{"^([0-9]+)$", "12\n13x\n", 12},
		{"x|([0-9]+)", "5 x\n", 5},
		{"([0-9]+)( MB)?", "5 MB\n", 5},
		{"=(.*)s", "t= 4.5s\n", 4.5},
		{"a*([0-9]*)", "9\n", 9},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double value = -1;
		char text[32];
		const int rc =
			read_rate(row[i].pattern, row[i].text, strlen(row[i].text), &value, text);

		if (rc || value != row[i].want)
			fail_msg("%s in %s: %d, %g", row[i].pattern, row[i].text, rc, value);
	}
}

static void no_match_and_no_number_are_told_apart(void **state)
{
	static const struct {
		const char *pattern, *text;
		int rc;
		const char *matched;
	} row[] = {
		{"([0-9]+) ops", "nothing\n", -ENODATA, NULL},
		{"([0-9]+) ops", "", -ENODATA, NULL},
		{"([0-9]+) ops", "\n\n", -ENODATA, NULL},
		{"r=([^ ]*)", "r=fast\n", -ERANGE, "fast"},
		{"r=([^ ]*)", "r=0\n", -ERANGE, "0"},
		{"r=([^ ]*)", "r=-3\n", -ERANGE, "-3"},
		{"r=([^ ]*)", "r=1e999\n", -ERANGE, "1e999"},
		{"r=([^ ]*)", "r=1,5\n", -ERANGE, "1,5"},
		{"r=([^ ]*)", "r=nan\n", -ERANGE, "nan"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double value = -1;
		char text[32];

		assert_int_equal(
			read_rate(row[i].pattern, row[i].text, strlen(row[i].text), &value, text),
			row[i].rc);
		assert_true(value == -1);
		if (row[i].matched)
			assert_string_equal(text, row[i].matched);
	}
}

static void any_bytes_may_be_around_it(void **state)
{
	static const char bytes[] = "\xff\xfe\0\x80 rate=8 \xc3\n\0\0\xf0\x9f";
	double value = 0;
	char text[32];

	(void)state;
	assert_int_equal(read_rate("rate=([0-9]+)", bytes, sizeof bytes - 1, &value, text), 0);
	assert_true(value == 8);
}

static void it_is_found_behind_and_before_megabytes(void **state)
{
	const size_t n = 3000000;
	char *bytes = malloc(n), text[32];
	double value = 0;

	(void)state;
	assert_non_null(bytes);
	/* short lines after it */
	for (size_t i = 0; i < n; i++)
		bytes[i] = i % 40 == 39 ? '\n' : 'x';
	memcpy(bytes, "rate=5\n", 7);
	assert_int_equal(read_rate("rate=([0-9]+)", bytes, n, &value, text), 0);
	assert_true(value == 5);
	/* one line without an end before it */
	memset(bytes, 'x', n);
	memcpy(bytes + n - 6, "rate=6", 6);
	assert_int_equal(read_rate("rate=([0-9]+)", bytes, n, &value, text), 0);
	assert_true(value == 6);
	free(bytes);
}

static void a_bad_expression_is_said(void **state)
{
	struct said said = {0};
	const struct sd_sink sink = {.emit = hear_said, .ctx = &said};
	struct sd_printed_rate r;

	(void)state;
	assert_int_equal(sd_printed_rate_open(&r, "([0-9]+", &sink), -EINVAL);
	assert_non_null(strstr(said.text, "--rate '([0-9]+'"));
	assert_int_equal(said.n, 1);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
	struct sd_printed_rate r;
	double value;
	char text[32];

	(void)state;
	assert_int_equal(sd_printed_rate_open(&r, "x", NULL), 0);
	assert_int_equal(
		sd_printed_rate_read(&r, "/no/such/file", &value, text, sizeof text), -ENOENT);
	sd_printed_rate_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_match_of_the_output_counts),
		cmocka_unit_test(no_match_and_no_number_are_told_apart),
		cmocka_unit_test(any_bytes_may_be_around_it),
		cmocka_unit_test(it_is_found_behind_and_before_megabytes),
		cmocka_unit_test(a_bad_expression_is_said),
		cmocka_unit_test(a_file_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
