/*
 * A record whose bytes changed on a disk or a network: digits that were flipped still are JSON.
 */
#include "record/record_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/record_journal.h"
#include "support/make_full.h"

static int is_damaged(const struct sd_record *r)
{
	return r->warnings.n && strcmp(r->warnings.text[0], SD_RECORD_DAMAGED) == 0;
}

static char *written(size_t *n)
{
	static const unsigned cores[] = {1, 2};
	char path[] = "/tmp/checksum-test-XXXXXX";
	const int fd = mkstemp(path);
	char *text = calloc(1, 1 << 16);
	struct sd_record r;

	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	make_record(&r, cores, 2);
	for (size_t i = 0; i < 4; i++)
		make_run(&r, i % 2, 1.25 + (double)i, 1, .1);
	assert_int_equal(sd_record_write(path, &r, NULL), 0);
	sd_record_free(&r);
	FILE *const f = fopen(path, "re");

	assert_non_null(f);
	*n = fread(text, 1, 1 << 16, f);
	fclose(f);
	unlink(path);
	return text;
}

/* Every digit of every run, changed to another one: none is taken for what was measured. */
static void a_digit_that_was_flipped_is_said(void **state)
{
	struct sd_record r;
	size_t n, tried = 0;
	char *const text = written(&n), *const runs = strstr(text, "\"runs\"");

	(void)state;
	assert_non_null(runs);
	assert_int_equal(sd_record_parse(text, n, "whole", &r, NULL), 0);
	assert_false(is_damaged(&r));
	sd_record_free(&r);
	for (char *at = runs; at < text + n; at++) {
		const char before = *at;

		if (before < '1' || before > '8')
			continue;
		*at = (char)(before + 1);
		if (sd_record_parse(text, n, "flipped", &r, NULL) == 0) {
			assert_true(is_damaged(&r));
			assert_string_equal(r.warnings.text[0], SD_RECORD_DAMAGED);
			tried++;
		}
		sd_record_free(&r);
		*at = before;
	}
	assert_true(tried > 10);
	free(text);
}

/* A record from before there were checksums, or formatted anew, has none. */
static void a_record_without_one_is_read_as_before(void **state)
{
	struct sd_record r;
	size_t n;
	char *const text = written(&n), *const sum = strstr(text, ",\n\"crc32\"");

	(void)state;
	assert_non_null(sum);
	strcpy(sum, "}\n");
	assert_int_equal(sd_record_parse(text, strlen(text), "older", &r, NULL), 0);
	assert_false(is_damaged(&r));
	assert_int_equal(r.n_run, 4);
	sd_record_free(&r);
	free(text);
}

/* The lines behind a head are of that head. */
static void a_journal_does_not_fit_another_head(void **state)
{
	static const unsigned cores[] = {1, 2};
	char path[] = "/tmp/checksum-test-XXXXXX";
	struct sd_record_journal *j = NULL;
	struct sd_record r;
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	for (int other = 0; other < 2; other++) {
		struct sd_record read;
		char text[1 << 15];
		size_t n;
		char *host;
		FILE *f;

		make_record(&r, cores, 2);
		r.complete = 0;
		assert_int_equal(sd_record_journal_begin(&j, path, &r, NULL), 0);
		make_run(&r, 0, 2, 1, .1);
		assert_int_equal(sd_record_journal_add(&j, &r, NULL), 0);
		sd_record_journal_end(&j);
		f = fopen(path, "re");
		assert_non_null(f);
		n = fread(text, 1, sizeof text, f);
		fclose(f);
		unlink(path);
		/* the head of another record: its checksum with it */
		host = strstr(text, "\"crc32\":\"");
		assert_non_null(host);
		if (other)
			host[9] = host[9] == '0' ? '1' : '0';
		assert_int_equal(sd_record_parse(text, n, "journal", &read, NULL), 0);
		assert_int_equal(read.n_run, other ? 0 : 1);
		assert_int_equal(is_damaged(&read), other);
		sd_record_free(&read);
		sd_record_free(&r);
	}
}

/* Whole, with a digit flipped, without a checksum, of another schema, with a run that is none. */
static void runs_are_counted_where_a_record_is_read(void **state)
{
	static const struct {
		const char *what, *with;
		size_t runs; /* 0: refused */
	} row[] = {{"\"runs\"", "\"runs\"", 4}, {"\"wall\":1.25", "\"wall\":1.75", 4},
		{",\n\"crc32\"", "}", 4}, {"\"schema\":1,", "\"schema\":9,", 0},
		{"{\"point\":1", "{\"point\":x", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char path[] = "/tmp/checksum-test-XXXXXX", *at;
		const int fd = mkstemp(path);
		size_t n, runs = 0;
		char *const text = written(&n);
		struct sd_record r;
		int rc;

		assert_true(fd >= 0);
		at = strstr(text, row[i].what);
		assert_non_null(at);
		memcpy(at, row[i].with, strlen(row[i].with));
		if (strcmp(row[i].with, "}") == 0)
			n = (size_t)(at + 1 - text);
		assert_int_equal(write(fd, text, n), n);
		close(fd);
		rc = sd_record_count(path, &runs, NULL);
		assert_int_equal(rc, sd_record_read(path, &r, NULL));
		sd_record_free(&r);
		assert_int_equal(rc == 0, row[i].runs > 0);
		assert_int_equal(rc ? 0 : runs, row[i].runs);
		unlink(path);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_digit_that_was_flipped_is_said),
		cmocka_unit_test(a_record_without_one_is_read_as_before),
		cmocka_unit_test(a_journal_does_not_fit_another_head),
		cmocka_unit_test(runs_are_counted_where_a_record_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
