/*
 * Programs under the software PMU, and the lines found.
 */
#ifndef SD_TEST_SIMULATED_LINES_H
#define SD_TEST_SIMULATED_LINES_H

#include <unistd.h>

#include "e2e/e2e.h"

static inline void need_emulator(const char *test)
{
	if (access("/usr/bin/qemu-x86_64", X_OK) != 0)
		e2e_skip(test, "there is no qemu-x86_64");
#ifndef __x86_64__
	e2e_skip(test, "not an x86-64 machine");
#endif
}

/* `scalediag lines --format json` of the record at this count; owned by the caller. */
static inline json_t *lines_of(struct e2e *e, const char *cores)
{
	struct e2e_result r;
	json_t *out;

	e2e_run(e, &r, "lines", "--format", "json", "--cores", cores, e2e_path(e, "r.json"));
	e2e_expect_status(&r, 0);
	out = json_loads(r.out, 0, NULL);
	assert_non_null(out);
	e2e_result_free(&r);
	return out;
}

static inline void simulate(
	struct e2e *e, const char *cores, const char *program, const char *rounds)
{
	struct e2e_result r;

	e2e_run(e, &r, "--cores", cores, "--repeats", "1", "--experiments", "none", "--events",
		"sim", "-o", e2e_path(e, "r.json"), "--", e2e_program(e, program), "{n}", rounds);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

static inline const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

#endif
