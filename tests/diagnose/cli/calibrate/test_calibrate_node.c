/* A calibration and the machine it was made on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/calibrate_node.h"

struct said {
	unsigned n;
	char last[256];
};

static void say(void *ctx, enum sd_level level, const char *text)
{
	struct said *const s = ctx;

	(void)level;
	s->n++;
	strncpy(s->last, text, sizeof s->last - 1);
}

static void a_profile_holds_only_of_the_cpus_that_were_measured(void **state)
{
	static const char machine[] = "pack:1 l3:1 core:4 pu:2";
	static const struct {
		struct sd_topology_source before, after;
		int holds;
	} row[] = {
		{{.synthetic = machine}, {.synthetic = machine}, 1},
		{{.synthetic = machine, .allowed = "0-3"}, {.synthetic = machine, .allowed = "0-3"},
			1},
		/* one went, one came back, another one is there instead */
		{{.synthetic = machine}, {.synthetic = machine, .allowed = "0-6"}, 0},
		{{.synthetic = machine, .allowed = "0-6"}, {.synthetic = machine}, 0},
		{{.synthetic = machine, .allowed = "0-3"},
			{.synthetic = machine, .allowed = "0-2,4"}, 0},
		/* as many, but further apart */
		{{.synthetic = "pack:1 l3:1 core:4 pu:1"}, {.synthetic = "pack:1 l3:2 core:2 pu:1"},
			0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct said said = {0};
		const struct sd_sink sink = {.emit = say, .ctx = &said};
		struct sd_profile p = {0};
		struct sd_topology t;

		assert_int_equal(sd_topology_load(&t, &row[i].before, &sink), 0);
		sd_profile_key_of(&p.key, &t);
		sd_topology_free(&t);
		assert_int_equal(sd_calibrate_node_holds(&p, &row[i].after, &sink), row[i].holds);
		assert_int_equal(said.n, row[i].holds ? 0 : 1);
		if (!row[i].holds)
			assert_non_null(strstr(said.last, "the profile is not saved"));
	}
}

static void a_machine_that_can_no_longer_be_read_keeps_no_profile(void **state)
{
	struct said said = {0};
	const struct sd_sink sink = {.emit = say, .ctx = &said};
	const struct sd_topology_source gone = {.synthetic = "core:2 pu:1", .allowed = "5-6"};
	const struct sd_profile p = {0};

	(void)state;
	assert_int_equal(sd_calibrate_node_holds(&p, &gone, &sink), 0);
	assert_int_equal(said.n, 1);
}

static const struct sd_kernel whole[] = {{.name = "memory", .weight = 9},
	{.name = "locks", .weight = 1}, {.name = "part", .weight = 0}};
static const struct sd_kernel *const registry[] = {&whole[0], &whole[1], &whole[2], NULL};

static void a_kernel_by_name_has_the_time_of_those_not_asked_for(void **state)
{
	(void)state;
	for (int quick = 0; quick < 2; quick++) {
		const struct sd_kernel *all[] = {&whole[0], &whole[1]}, *part[] = {&whole[2]};
		struct sd_calibrate_options a = {
			.kernels = registry, .chosen = all, .n_chosen = 2, .quick = quick};
		const double s = sd_calibrate_node_seconds(&a);

		/* what was promised: 20 s and 3 minutes */
		assert_true(s > 0 && s < (quick ? 20 : 180));
		a.named = 1;
		a.chosen = part;
		a.n_chosen = 1;
		assert_true(sd_calibrate_node_seconds(&a) >= s);
		assert_true(sd_calibrate_node_seconds(&a) <= s);
		a.brief = 1;
		assert_true(sd_calibrate_node_seconds(&a) < s / 9);
		assert_true(sd_calibrate_node_seconds(&a) > 0);
	}
}

static unsigned runs;
static int told_again; /* the first was told that it would be measured once more */

/* Another number every time; the second is disturbed. */
static int run_again(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	const struct sd_bench_row r = {.kernel = "again",
		.variant = "v=1",
		.cores = 1,
		.unit = "ns",
		.parameter_unit = "",
		.n = 3,
		.median = 10 + runs,
		.q1 = 10 + runs,
		.q3 = 10 + runs,
		.low = 10 + runs,
		.high = 10 + runs,
		.status = runs == 1 ? SD_STATUS_NOISY : SD_STATUS_OK};

	assert_true(env->budget_s > 0 && env->deadline_s > 0);
	assert_true((env->earlier != NULL) == (runs > 0));
	told_again |= env->again && runs == 0;
	runs++;
	return sd_bench_rows_add(rows, &r);
}

static void a_number_reaches_over_the_blocks_of_the_time(void **state)
{
	static const struct sd_kernel again = {.name = "again", .weight = 1, .run = run_again};
	static const struct sd_kernel *const kernels[] = {&again, NULL};
	static const struct {
		int quick, named, brief;
		unsigned runs;
		double median, q3;
	} row[] = {
		{1, 0, 0, 8, 14, 17}, /* as often as there is time: 10, 12, 13, ... 17 */
		{0, 0, 0, 8, 14, 17},
		{1, 1, 0, 2, 10, 10},
		{1, 1, 1, 1, 10, 10},
	};
	struct said said = {0};
	const struct sd_sink sink = {.emit = say, .ctx = &said};
	struct sd_progress_line line = {0};
	const struct sd_cli cli = {.sink = &sink, .line = &line};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_kernel *chosen[] = {&again};
		struct sd_calibrate_options a = {.kernels = kernels,
			.chosen = chosen,
			.n_chosen = 1,
			.quick = row[i].quick,
			.named = row[i].named,
			.brief = row[i].brief};
		struct sd_profile p;

		runs = 0;
		told_again = 0;
		assert_int_equal(sd_calibrate_node_measure(&cli, &a, &p), SD_EXIT_DONE);
		assert_int_equal(runs, row[i].runs);
		assert_int_equal(told_again, row[i].runs > 1);
		assert_int_equal(p.blocks, row[i].runs);
		assert_int_equal(p.rows.n, 1);
		assert_true(p.rows.row[0].q1 <= 10 && p.rows.row[0].q1 >= 10);
		assert_true(p.rows.row[0].q3 <= row[i].q3 && p.rows.row[0].q3 >= row[i].q3);
		assert_true(p.rows.row[0].median <= row[i].median &&
			    p.rows.row[0].median >= row[i].median);
		assert_int_equal(p.rows.row[0].calibrations, 0);
		sd_profile_free(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_holds_only_of_the_cpus_that_were_measured),
		cmocka_unit_test(a_machine_that_can_no_longer_be_read_keeps_no_profile),
		cmocka_unit_test(a_number_reaches_over_the_blocks_of_the_time),
		cmocka_unit_test(a_kernel_by_name_has_the_time_of_those_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
