#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/make_full.h"

static void a_record_read_back_and_written_again_has_the_same_bytes(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r, back;
	size_t n1, n2;
	char *first, *second;

	make_full(&r);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	first = slurp(w->path, &n1);
	if (sd_record_read(w->path, &back, &sink) != 0)
		fail_msg("%s", w->said);
	assert_int_equal(sd_record_write(w->path, &back, &sink), 0);
	second = slurp(w->path, &n2);
	assert_int_equal(n1, n2);
	assert_memory_equal(first, second, n1);
	assert_int_equal(w->messages, 0);
	assert_int_equal(files_in(w->folder), 1);
	free(first);
	free(second);
	sd_record_free(&r);
	sd_record_free(&back);
}

static void values_of_every_status_survive(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r, back;

	make_full(&r);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	assert_int_equal(sd_record_read(w->path, &back, &sink), 0);
	assert_int_equal(back.n_run, 2);
	for (int i = 0; i < SD_METRIC_COUNT; i++) {
		assert_int_equal(back.run[0].metric[i].status, r.run[0].metric[i].status);
		if (sd_has(r.run[0].metric[i])) /* the same bits, not merely near */
			assert_memory_equal(&back.run[0].metric[i].value, &r.run[0].metric[i].value,
				sizeof(double));
	}
	assert_int_equal(back.run[0].flags, r.run[0].flags);
	assert_true(back.run[0].stdout_digest == UINT64_MAX - 1);
	assert_true(back.run[0].stdout_bytes == 123456789012345);
	assert_int_equal(back.run[1].kind, SD_RUN_DRIFT);
	assert_int_equal(back.run[1].end, SD_END_SIGNALLED);
	assert_int_equal(back.run[1].code, 11);
	assert_int_equal(back.run[1].n_thread, 2);
	assert_int_equal(back.run[1].thread[0].run_delay.status, SD_STATUS_DENIED);
	assert_string_equal(back.run[1].thread[1].name, "\xff\xfe");
	assert_int_equal(back.run[1].idle[SD_IDLE_LOCK].status, SD_STATUS_OK);
	assert_int_equal(back.run[0].idle[SD_IDLE_LOCK].status, SD_STATUS_ABSENT);
	assert_int_equal(back.run[0].pass, 1);
	assert_int_equal(back.run[0].n_role, 2);
	assert_int_equal(back.run[1].n_role, 0);
	assert_true(sd_run_role(&back.run[0], SD_ROLE_CYCLES)->value.value == 1234567890123);
	assert_true(sd_run_role(&back.run[0], SD_ROLE_CYCLES)->running == 0.75);
	assert_null(sd_run_role(&back.run[1], SD_ROLE_CYCLES));
	assert_int_equal(back.run[0].role[1].value.status, SD_STATUS_DENIED);
	assert_int_equal(back.run[0].role[1].quality, SD_QUALITY_PROXY);
	assert_int_equal(back.run[0].role[1].scope, SD_SCOPE_SOCKET);
	assert_string_equal(back.calibration.statement, "calibrated 2 h ago");
	assert_int_equal(back.calibration.dram.status, SD_STATUS_UNSUPPORTED);
	assert_int_equal(back.calibration.n_ceiling, 2);
	assert_true(back.calibration.ceiling[0].bandwidth.value == 1.0e10 / 3);
	assert_int_equal(back.calibration.ceiling[1].bandwidth.status, SD_STATUS_NOISY);
	assert_int_equal(back.plan.n_pass, 2);
	assert_int_equal(back.plan.multiplex, 1);
	assert_int_equal(back.plan.pass[1].role[1], SD_ROLE_COUNT - 2);
	assert_int_equal(back.plan.n_skipped, 2);
	assert_int_equal(back.plan.point[2].cpus.n, 8);
	assert_true(back.plan.seed == UINT64_MAX);
	assert_true(back.plan.no_samples && back.plan.quick);
	assert_true(back.program.file.mtime.value == 1.0e10 / 7);
	assert_string_equal(back.program.file.build_id, "00ff");
	sd_record_free(&r);
	sd_record_free(&back);
}

static void texts_survive_whatever_their_bytes(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r, back;

	make_full(&r);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	assert_int_equal(sd_record_read(w->path, &back, &sink), 0);
	assert_int_equal(back.program.argv.n, r.program.argv.n);
	for (size_t i = 0; i < r.program.argv.n; i++)
		assert_string_equal(back.program.argv.text[i], r.program.argv.text[i]);
	for (size_t i = 0; i < r.warnings.n; i++)
		assert_string_equal(back.warnings.text[i], r.warnings.text[i]);
	assert_string_equal(back.host.name, r.host.name);
	assert_string_equal(back.program.prepare, "sync");
	sd_record_free(&r);
	sd_record_free(&back);
}

static void an_impossible_number_is_stored_as_not_measured(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const unsigned cores[] = {1};
	struct sd_record r, back;
	struct sd_run *run;

	make_record(&r, cores, 1);
	run = make_run(&r, 0, 1, NAN, -1e-9);
	run->metric[SD_METRIC_STEAL] = SD_OK(INFINITY);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	assert_int_equal(sd_record_read(w->path, &back, &sink), 0);
	assert_int_equal(back.run[0].metric[SD_METRIC_USER].status, SD_STATUS_ABSENT);
	assert_int_equal(back.run[0].metric[SD_METRIC_SYSTEM].status, SD_STATUS_ABSENT);
	assert_int_equal(back.run[0].metric[SD_METRIC_STEAL].status, SD_STATUS_ABSENT);
	sd_record_free(&r);
	sd_record_free(&back);
}

/* A change of the format that old records do not survive needs another schema number. */
static void a_record_of_schema_1_stays_readable(void **state)
{
	static const char fixture[] = "tests/fixtures/fuzz_record/two_points.json";
	/* as it was written when nothing was left out, and reals had a point */
	static const char before[] = "tests/fixtures/fuzz_report/two_points.json";
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;
	size_t n1, n2;
	char *first, *second;

	if (sd_record_read(fixture, &r, &sink) != 0)
		fail_msg("%s", w->said);
	assert_int_equal(r.n_run, 2);
	assert_true(r.run[1].metric[SD_METRIC_WALL].value == 2.5);
	assert_int_equal(r.run[1].metric[SD_METRIC_STEAL].status, SD_STATUS_NOISY);
	assert_int_equal(r.run[0].metric[SD_METRIC_CYCLES].status, SD_STATUS_DENIED);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	first = slurp(fixture, &n1);
	second = slurp(w->path, &n2);
	assert_string_equal(first, second);
	assert_int_equal(n1, n2);
	free(second);
	sd_record_free(&r);
	assert_int_equal(sd_record_read(before, &r, &sink), 0);
	assert_int_equal(sd_record_write(w->path, &r, &sink), 0);
	second = slurp(w->path, &n2);
	assert_string_equal(first, second);
	free(first);
	free(second);
	sd_record_free(&r);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_record_read_back_and_written_again_has_the_same_bytes),
		T(values_of_every_status_survive),
		T(texts_survive_whatever_their_bytes),
		T(an_impossible_number_is_stored_as_not_measured),
		T(a_record_of_schema_1_stays_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
