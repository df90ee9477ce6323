/*
 * Diagnoses that are waited for, and their records.
 */
#ifndef SD_TEST_RECORD_RUNS_H
#define SD_TEST_RECORD_RUNS_H

#include <string.h>
#include <sys/mount.h>

#include "e2e/e2e.h"

static inline void expect_said(const struct e2e_result *r, const char *text)
{
	if (!strstr(r->err, text))
		fail_msg("'%s' is not on stderr:\n%.4000s", text, r->err);
}

static inline void make_record(struct e2e *e, const char *name)
{
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "-o", name, e2e_program(e, "scales"),
		"0.01");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

#endif
