/*
 * Calls of the system that fail in scalediag (support/faults.c), and how it must have coped.
 */
#ifndef SD_TEST_FAILING_CALLS_H
#define SD_TEST_FAILING_CALLS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/e2e.h"

struct fault {
	const char *preload; /* support/faults.c */
	char what[64];       /* KIND:N */
	const char *count;
};

/* The list to preload: where all is instrumented, the sanitizer's library first, which is mapped
 * here as well; its malloc is then the one that is called, and never fails. */
static inline void fault_preload(const struct e2e *e, char *out, size_t size)
{
	char line[4200], asan[4200] = "";
	FILE *const f = fopen("/proc/self/maps", "re");

	while (f && !asan[0] && fgets(line, sizeof line, f))
		if (strstr(line, "/libasan."))
			(void)sscanf(line, "%*s %*s %*s %*s %*s %4190s", asan);
	if (f)
		fclose(f);
	snprintf(out, size, "%s%s%s/../faults.so", asan, asan[0] ? ":" : "", e->programs);
}

static inline int inject(void *ctx)
{
	const struct fault *const f = ctx;

	return setenv("LD_PRELOAD", f->preload, 1) || setenv("SD_FAULT", f->what, 1) ||
	       setenv("SD_FAULT_COUNT", f->count, 1);
}

static inline size_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

/* Another report may be printed only where something is said; a record that is there can be read.
 */
static inline void expect_coped(struct e2e *e, const struct fault *f, const struct e2e_result *r,
	const struct e2e_result *whole, int measures)
{
	if (r->status != 0 && r->status != 2 && r->status != 3 && r->status != 4)
		fail_msg("%s: status %d: %.300s", f->what, r->status, r->err);
	if (r->status != 0 && r->n_err == 0)
		fail_msg("%s: status %d without a word", f->what, r->status);
	if (r->status == 0 && !measures && strcmp(r->out, whole->out) != 0 &&
		strcmp(r->err, whole->err) == 0)
		fail_msg("%s: another report without a word: %.300s", f->what, r->out);
	if (access(e2e_path(e, "made.json"), F_OK) == 0) {
		struct e2e_result again;

		e2e_run(e, &again, "report", "made.json");
		if (again.status != 0 && (r->status == 0 || !measures))
			fail_msg("%s: a record that cannot be read: %.300s", f->what, again.err);
		e2e_result_free(&again);
	}
}

#endif
