/* Data that files of other tools lack, and how that is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "diagnose/record/import/loaded_maps.h"
#include "import/import.h"

static void keep_warning(void *ctx, enum sd_level level, const char *text)
{
	if (level == SD_LEVEL_WARNING || level == SD_LEVEL_ERROR)
		snprintf(ctx, 512, "%s", text);
}

/* Output of toplev -x on a program on a Core i7-6700K (pmu-tools, issue 369): shares, of which some
 * are out of all bounds. */
static void shares_of_toplev_are_refused_with_what_to_import_instead(void **state)
{
	static const char text[] =
		"CPUs,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle\n"
		"C0,Frontend_Bound,53.9,% Slots,,frontend_retired.latency_ge_4:pp,0.0,100.0,,Y\n"
		"C0,Bad_Speculation,13273.4,% Slots,,,0.0,100.0,<==,Y\n"
		"C0,Backend_Bound,-13254.6,% Slots <,,,0.0,100.0,,Y\n"
		"C0,Retiring,27.3,% Slots <,,uops_retired.retire_slots,0.0,100.0,,Y\n"
		"C0-T0,MUX,100.0,%,,,0.0,100.0,,\n";
	char said[512] = "";
	const struct sd_sink sink = {.emit = keep_warning, .ctx = said};
	const struct sd_import_text t = {"toplev.csv", text, sizeof text - 1, &sink};
	struct sd_import im = {0};

	(void)state;
	assert_int_equal(sd_import_perf(&im, &t, 4), -EINVAL);
	assert_non_null(strstr(said, "toplev.csv:1: is toplev's table of shares"));
	assert_non_null(strstr(said, "--perf-output"));
	sd_import_free(&im);
}

/* A file that does not name its CPU: which ones have its events is said. */
static void a_cpu_that_is_not_said_is_suggested_by_its_events(void **state)
{
	static const char text[] =
		"{\"counter-value\" : \"4000000000\", \"unit\" : \"ns\", \"event\" : "
		"\"duration_time\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : \"7\", \"unit\" : \"\", \"event\" : "
		"\"MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM\", \"event-runtime\" : 1, "
		"\"pcnt-running\" : 100.00}\n";
	char said[512] = "";
	const struct sd_sink sink = {.emit = keep_warning, .ctx = said};
	const struct sd_import_text t = {"t", text, sizeof text - 1, &sink};
	struct sd_import im = {.cpu = {.maps = &maps}};

	(void)state;
	assert_int_equal(sd_import_perf(&im, &t, 4), 0);
	assert_int_equal(sd_import_finish(&im, "t", &sink), 0);
	assert_non_null(strstr(said, "does not name"));
	assert_non_null(strstr(said, "--cpu"));
	/* Skylake's and its kin's, and no other maker's */
	assert_non_null(strstr(said, "events of "));
	assert_non_null(strstr(said, "skx"));
	assert_null(strstr(said, "zen"));
	assert_null(strstr(said, "core2"));
	sd_import_free(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_of_toplev_are_refused_with_what_to_import_instead),
		cmocka_unit_test(a_cpu_that_is_not_said_is_suggested_by_its_events),
	};

	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
