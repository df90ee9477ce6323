/*
 * A calibration as it is kept.
 */
#ifndef SD_TEST_MADE_PROFILE_H
#define SD_TEST_MADE_PROFILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile_file.h"

/* Keeps the last message. */
static inline void remember(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 1024, "%s", text);
}

static inline struct sd_profile make(void)
{
	struct sd_profile p = {.tool_version = "9.9",
		.key = {"node1", "A CPU", "6.1", "0123456789abcdef"},
		.start = 1700000000.5,
		.seconds = 17.25,
		.blocks = 2,
		.quick = 1,
		.granted = 2,
		.visible_llc = SD_OK(33554432),
		.quiet = {.steal = SD_OK(0.001), .psi_cpu = SD_NOT(DENIED)},
		.states = {.n = 2, .line = {55e-9, 250e-9}, .seen = {10, 20}}};
	struct sd_bench_row row = {.kernel = "ceiling",
		.variant = "op=triad stores=nt bytes=counted",
		.cores = 2,
		.cpus = "0-1",
		.parameter = 1e9,
		.parameter_unit = "B",
		.unit = "GB/s",
		.n = 5,
		.dropped = 2,
		.median = 46.1,
		.q1 = 45.9,
		.q3 = 46.25,
		.low = 45,
		.high = 47,
		.status = SD_STATUS_OK};

	assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	row.state = 1;
	row.median = 78.2;
	row.q1 = 78;
	row.q3 = 79;
	row.low = 77;
	row.high = 80;
	assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	row = (struct sd_bench_row){.kernel = "latency",
		.variant = "level=DRAM pages=4KiB",
		.cores = 1,
		.cpus = "0",
		.parameter_unit = "B",
		.unit = "ns",
		.status = SD_STATUS_UNSUPPORTED,
		.why = "not enough memory, \"really\""};
	assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	sd_profile_count(&p);
	return p;
}

#endif
