/* Shared parts of the tests of the emulated machine. They change the machine they run on. */
#ifndef GUEST_H
#define GUEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e/e2e.h"

/*
 * Options of every run: the program's own runs alone. An emulated CPU is no gain, so that
 * experiments would be made, whose runs are not counted and take most of the time. Nor samples:
 * what empties their buffers runs on another CPU, and QEMU counts its instructions with the
 * program's.
 */
#define GUEST_PLAIN "--experiments", "none", "--samples", "none"

/* Skips the test elsewhere than in the machine `kind` of tests/guest/boot; NULL: in any of them. */
static inline void guest_need(const char *test, const char *kind)
{
	const char *const here = getenv("SCALEDIAG_GUEST");

	if (!here)
		e2e_skip(test, "changes the machine: runs in those of `make check-guest`");
	if (kind && strcmp(kind, here) != 0)
		e2e_skip(test, "runs in the other machine");
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
