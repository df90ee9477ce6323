/*
 * The line on the first screen that says what the machine or the program lacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/report/text/brief_screen.h"

/* The line names the command that brings what would tell more; where all is decided, nothing is
 * missing. */
static void what_is_missing_is_said_with_its_remedy(void **state)
{
	char skipped[] = "qemu-x86_64 is not in the PATH (apt-get install qemu-user)";
	struct sd_tested tested = {.experiment = SD_EXPERIMENT_SOFTWARE_PMU, .skipped = skipped};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL, "make it parallel");
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "Missing"));
	free(text);
	a.tested = &tested;
	a.n_tested = 1;
	text = brief(&r, &a, 25);
	must_have(text, "Missing: qemu-user");
	must_have(text, "(apt-get");
	assert_null(strstr(text, "perf_event_paranoid"));
	free(text);
	a.is_decided = 1;
	assert_true(r.n_run > 0);
	r.run[0].sampled.status = SD_STATUS_DENIED;
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "qemu-user"));
	must_have(text, "perf_event_paranoid=1");
	free(text);
	r.run[0].flags |= SD_RUN_UNREADABLE;
	text = brief(&r, &a, 25);
	assert_null(strstr(text, "Missing"));
	free(text);
	a.tested = NULL;
	a.n_tested = 0;
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_is_said_with_its_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
