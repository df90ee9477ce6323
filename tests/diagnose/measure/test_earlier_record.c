/* The record that is replaced tells of the new one. */
#include "measure/earlier_record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/record_file.h"
#include "support/make_record.h"

static const unsigned one_two[] = {1, 2};

/* Runs of either count, that of two cores in so many seconds, .4 % apart. */
static void fill_runs(struct sd_record *r, double two, unsigned runs)
{
	make_record(r, one_two, 2);
	for (unsigned i = 0; i < 2 * runs; i++)
		make_run(r, i % 2, (i % 2 ? two : 1) * (1 + .002 * (i % 3)), 1, 0)->start =
			1e9 + 60 * i;
}

static void fill(struct sd_record *r, double two)
{
	fill_runs(r, two, 7);
}

static void hear(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 200, "%s", text);
}

/* Takes what is said of a program that took so many s before and takes so many now, by so many
 * runs.
 */
static void compare_runs(double before, double now, unsigned runs, const char *argument,
	char said[200], double *usual)
{
	const struct sd_sink sink = {.emit = hear, .ctx = said};
	char path[] = "/tmp/scalediag-test-XXXXXX";
	const int fd = mkstemp(path);
	struct sd_earlier_record e;
	struct sd_record r;

	assert_true(fd >= 0);
	close(fd);
	fill_runs(&r, before, runs);
	assert_int_equal(sd_record_write(path, &r, NULL), 0);
	sd_record_free(&r);
	fill_runs(&r, now, runs);
	if (argument)
		assert_int_equal(sd_texts_add(&r.program.argv, "%s", argument), 0);
	said[0] = '\0';
	assert_int_equal(sd_earlier_record_take(&e, path, &r), 0);
	*usual = e.usual ? e.usual[1] : NAN;
	sd_earlier_record_say(&e, &r, &sink);
	sd_earlier_record_free(&e);
	sd_record_free(&r);
	unlink(path);
}

static void compare(double before, double now, const char *argument, char said[200], double *usual)
{
	compare_runs(before, now, 7, argument, said, usual);
}

/* An answer may take no more than three: then no run of the one may be like one of the other. */
static void a_few_runs_say_a_change_that_all_of_them_show(void **state)
{
	char said[200];
	double usual;

	(void)state;
	compare_runs(2, 1, 3, NULL, said, &usual);
	assert_non_null(strstr(said, "on 2 cores 2x faster than the record of "));
	compare_runs(1, 1.003, 3, NULL, said, &usual); /* .4 % between them */
	assert_string_equal(said, "");
	compare_runs(2, 1, 2, NULL, said, &usual);
	assert_string_equal(said, "");
}

static void plan_passes(struct sd_record *r, unsigned passes)
{
	r->plan.pass = make_zeroed(passes, sizeof *r->plan.pass);
	r->plan.n_pass = passes;
	r->plan.pass_turn = 1;
	for (unsigned i = 0; i < passes; i++) {
		r->plan.pass[i].role = make_zeroed(1, sizeof *r->plan.pass[i].role);
		r->plan.pass[i].role[r->plan.pass[i].n_role++] = (enum sd_role)i;
	}
}

/* Says that the run counted the one role of the pass. */
static void count(struct sd_record *r, size_t i, unsigned pass)
{
	struct sd_run *const run = &r->run[i];

	run->pass = pass;
	run->role = make_zeroed(1, sizeof *run->role);
	run->role[run->n_role++] = (struct sd_role_count){
		.role = r->plan.pass[pass].role[0], .value = SD_OK(1), .running = 1};
}

/* They begin the new one where its passes are the same. */
static void the_passes_that_it_chose_come_first(void **state)
{
	char path[] = "/tmp/scalediag-test-XXXXXX";
	const int fd = mkstemp(path);
	struct sd_earlier_record e;
	struct sd_record r;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	fill(&r, 1);
	plan_passes(&r, 6);
	count(&r, 3, 0);
	count(&r, 4, 5);
	count(&r, 7, 3);
	count(&r, 9, 5);
	assert_int_equal(sd_record_write(path, &r, NULL), 0);
	assert_int_equal(sd_earlier_record_take(&e, path, &r), 0);
	assert_int_equal(e.first.n, 2);
	assert_int_equal(e.first.pass[0], 5);
	assert_int_equal(e.first.pass[1], 3);
	sd_earlier_record_free(&e);
	r.plan.pass[2].role[0] = SD_ROLE_HITM_LOAD;
	assert_int_equal(sd_earlier_record_take(&e, path, &r), 0);
	assert_int_equal(e.first.n, 0);
	sd_earlier_record_free(&e);
	sd_record_free(&r);
	unlink(path);
}

static void a_change_beyond_noise_is_said(void **state)
{
	char said[200];
	double usual;

	(void)state;
	compare(2, 1, NULL, said, &usual);
	assert_true(fabs(usual - 2) < .01);
	if (!strstr(said, "on 2 cores 2x faster than the record of "))
		fail_msg("%s", said);
	compare(1, 3, NULL, said, &usual);
	if (!strstr(said, "on 2 cores 3x slower than the record of "))
		fail_msg("%s", said);
	compare(1, 1.0005, NULL, said, &usual);
	assert_string_equal(said, "");
}

static void another_program_or_none_says_nothing(void **state)
{
	struct sd_earlier_record e;
	struct sd_record r;
	char said[200];
	double usual;

	(void)state;
	compare(2, 1, "--other", said, &usual);
	assert_string_equal(said, "");
	assert_true(isnan(usual));
	fill(&r, 1);
	assert_int_equal(sd_earlier_record_take(&e, "/nowhere/r.json", &r), 0);
	assert_null(e.usual);
	sd_earlier_record_say(&e, &r, NULL);
	sd_earlier_record_free(&e);
	sd_record_free(&r);
}

/* Nobody writes to it: who opened it to read would wait for ever. */
static void a_pipe_at_its_place_is_not_opened(void **state)
{
	char folder[] = "/tmp/scalediag-test-XXXXXX", path[64];
	struct sd_earlier_record e;
	struct sd_record r;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	fill(&r, 1);
	assert_int_equal(sd_earlier_record_take(&e, path, &r), 0);
	assert_null(e.usual);
	sd_earlier_record_free(&e);
	sd_record_free(&r);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_beyond_noise_is_said),
		cmocka_unit_test(a_few_runs_say_a_change_that_all_of_them_show),
		cmocka_unit_test(the_passes_that_it_chose_come_first),
		cmocka_unit_test(another_program_or_none_says_nothing),
		cmocka_unit_test(a_pipe_at_its_place_is_not_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
