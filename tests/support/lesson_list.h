/*
 * The lessons of `scalediag learn`, and their exported folders.
 */
#ifndef SD_TEST_LESSON_LIST_H
#define SD_TEST_LESSON_LIST_H

#include <stdlib.h>
#include <string.h>

#include "e2e/e2e.h"

#define LESSONS_MAX 64

/* The names of all lessons, from the list. Returns how many; each is to be freed. */
static inline size_t list(struct e2e *e, char *name[LESSONS_MAX])
{
	struct e2e_result r;
	size_t n = 0;

	e2e_run(e, &r, "learn");
	e2e_expect_status(&r, 0);
	for (char *line = strtok(r.out, "\n"); line; line = strtok(NULL, "\n"))
		if (n < LESSONS_MAX && line[0] >= '0' && line[0] <= '9' &&
			sscanf(line, "%*s %ms", &name[n]) == 1)
			n++;
	e2e_result_free(&r);
	return n;
}

/* Copies a lesson into the test's folder, under its name. */
static inline void export(struct e2e *e, const char *name)
{
	struct e2e_result r;

	e2e_run(e, &r, "learn", "--export", name, name);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
}

/* "key: value" of an exported lesson; static storage, "" when there is none. */
static inline const char *head(struct e2e *e, const char *name, const char *key)
{
	static char value[256];
	char path[320], *text, *at;
	size_t size;

	snprintf(path, sizeof path, "%s/LESSON.md", name);
	text = e2e_read(e2e_path(e, path), &size);
	assert_non_null(text);
	snprintf(path, sizeof path, "\n%s: ", key);
	at = strstr(text, path);
	snprintf(value, sizeof value, "%.*s", at ? (int)strcspn(at + strlen(path), "\n") : 0,
		at ? at + strlen(path) : "");
	free(text);
	return value;
}

static inline int needs_mpi(struct e2e *e, const char *name)
{
	return strcmp(head(e, name, "needs"), "mpi") == 0;
}

static const char *const compilers[] = {"gcc", "clang"};

/* With nothing printed: a warning is a failure. A compiler that is not installed is none. MPI has
 * its own, which calls that one. */
static inline int make(struct e2e *e, const char *name, const char *cc, const char *flags)
{
	char command[1024];
	const int mpi = needs_mpi(e, name);

	snprintf(command, sizeof command,
		"cd %s/%s || exit 1; command -v %s >/dev/null || exit 0; "
		"command -v %s >/dev/null || exit 0; "
		"env -u MAKEFLAGS OMPI_CC=%s MPICH_CC=%s make -s clean all CC=%s CFLAGS='%s' "
		">make.log 2>&1 && test ! -s make.log",
		e->folder, name, cc, mpi ? "mpicc" : cc, cc, cc, mpi ? "mpicc" : cc, flags);
	return system(command); /* NOLINT(cert-env33-c): our own words */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

#endif
