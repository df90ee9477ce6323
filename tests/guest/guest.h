/* What the tests of the emulated machine share. They change the machine they run on. */
#ifndef GUEST_H
#define GUEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"

/* Skips the test elsewhere than in the machine that tests/guest/boot started. */
static inline void guest_need(const char *test)
{
	if (!getenv("SCALEDIAG_GUEST"))
		e2e_skip(test, "changes the machine: runs in the one of `make check-guest`");
}

/* Skips the test unless time is the count of instructions (tests/guest/boot, "counted"). */
static inline void guest_need_counted(const char *test)
{
	const char *const kind = getenv("SCALEDIAG_GUEST");

	guest_need(test);
	if (strcmp(kind, "counted") != 0)
		e2e_skip(test, "instructions are counted in the other machine");
}

/* Writes to a file of the kernel; the test fails when that does not work. */
static inline void guest_write(const char *path, const char *text)
{
	FILE *const f = fopen(path, "w");

	if (!f)
		fail_msg("cannot open %s", path);
	setvbuf(f, NULL, _IONBF, 0);
	if (fputs(text, f) < 0 || fclose(f) != 0)
		fail_msg("cannot write '%s' to %s", text, path);
}

#endif
