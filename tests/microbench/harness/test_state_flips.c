/*
 * A machine that changes its state while it is measured. The line probe is replaced by a script:
 * what is defined here is linked instead of the library's.
 */
#include "bench/line_probe.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/others.h"
#include "harness/samples.h"

#define NEAR SD_OK(55e-9)
#define FAR SD_OK(250e-9)

/* Answers of the probe, call after call; the last one then stays. */
static const struct sd_value *script;
static size_t script_n, script_at;

struct sd_value sd_line_probe_state(const struct sd_cpulist *cpus)
{
	const size_t i = script_at < script_n ? script_at : script_n - 1;

	(void)cpus;
	script_at++;
	return script[i];
}

struct sd_value sd_line_probe_transfer(unsigned a, unsigned b)
{
	(void)a;
	(void)b;
	return SD_NOT(ABSENT);
}

static struct sd_pu pus[] = {{.os = 0, .core = 0}, {.os = 1, .core = 1}};
static const struct sd_topology two = {.pu = pus, .n_pu = 2, .n_core = 2, .granted = 2};

/* The value follows the state that the machine is in when it is measured. */
static int measure(void *ctx, struct sd_sample *s)
{
	const size_t i = script_at < script_n ? script_at : script_n - 1;

	(void)ctx;
	s->value[0] = script[i].value > 100e-9 ? 78 : 46;
	return 0;
}

static struct sd_bench_rows run(
	const struct sd_value *probes, size_t n, unsigned wanted, struct sd_machine_states *states)
{
	const struct sd_kernel_env env = {.topology = &two, .states = states};
	const struct sd_sample_plan plan = {.env = &env, .wanted = wanted};
	const struct sd_bench_row like = {.kernel = "test", .unit = "GB/s"};
	struct others since = others_now();
	struct sd_bench_rows rows = {0};
	struct sd_samples s;
	int tries = 0, late;

	script = probes;
	script_n = n;
	do {
		sd_bench_rows_free(&rows);
		*states = (struct sd_machine_states){0};
		script_at = 0;
		assert_int_equal(sd_samples_take(&s, &plan, measure, NULL), 0);
		assert_int_equal(sd_samples_rows(&s, 0, &like, &rows), 0);
		sd_samples_free(&s);
		/* after 10 ms the probe is asked once more, which is not in the script */
		late = others_now().wall - since.wall > 0.01 && ++tries < 20;
	} while (others_stole(&since, &tries) || late);
	return rows;
}

static void a_sample_across_a_flip_is_dropped_and_counted(void **state)
{
	const struct sd_value probes[] = {NEAR, NEAR, FAR, FAR, FAR, NEAR, NEAR};
	struct sd_machine_states states = {0};
	struct sd_bench_rows rows = run(probes, 7, 4, &states);

	(void)state;
	/* near, flip, far, far, flip, near: two of each state, never one number of both */
	assert_int_equal(rows.n, 2);
	assert_int_equal(states.n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(rows.row[i].n, 2);
		assert_int_equal(rows.row[i].dropped, 2);
		assert_true(rows.row[i].low == rows.row[i].high);
	}
	sd_bench_rows_by_state(&rows, &states);
	for (size_t i = 0; i < 2; i++)
		assert_true(rows.row[i].median == (rows.row[i].state == 0 ? 46 : 78));
	sd_bench_rows_free(&rows);
}

static void one_state_stays_one_whatever_its_noise(void **state)
{
	const struct sd_value probes[] = {SD_OK(50e-9), SD_OK(62e-9), SD_OK(55e-9), SD_OK(70e-9)};
	struct sd_machine_states states = {0};
	struct sd_bench_rows rows = run(probes, 4, 5, &states);

	(void)state;
	assert_int_equal(rows.n, 1);
	assert_int_equal(states.n, 1);
	assert_int_equal(rows.row[0].dropped, 0);
	assert_int_equal(rows.row[0].n, 5);
	sd_bench_rows_free(&rows);
}

static void without_a_probe_nothing_is_labelled_by_guessing(void **state)
{
	const struct sd_value busy[] = {SD_NOT(ABSENT)}, one_cpu[] = {SD_NOT(UNSUPPORTED)};
	struct sd_machine_states states = {0};
	struct sd_bench_rows rows = run(busy, 1, 2, &states);

	(void)state;
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.row[0].status, SD_STATUS_ABSENT);
	assert_int_equal(states.n, 0);
	sd_bench_rows_free(&rows);
	/* a machine that can have no states is measured all the same */
	rows = run(one_cpu, 1, 2, &states);
	assert_int_equal(rows.row[0].status, SD_STATUS_OK);
	assert_int_equal(rows.row[0].n, 2);
	assert_int_equal(states.n, 0);
	sd_bench_rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_across_a_flip_is_dropped_and_counted),
		cmocka_unit_test(one_state_stays_one_whatever_its_noise),
		cmocka_unit_test(without_a_probe_nothing_is_labelled_by_guessing),
	};

	return cmocka_run_group_tests_name("microbench_flips", tests, NULL, NULL);
}
