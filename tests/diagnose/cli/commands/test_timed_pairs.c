/*
 * Two programs in pairs: what cannot be kept of what they print is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "commands/timed_pairs.h"

static int refused; /* ftruncate() fails */

/* Stands before the C library's. */
int ftruncate(int fd, off_t size)
{
	if (refused) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, size);
}

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 256, "%s", text);
}

static enum sd_exit run(const char *after, struct sd_timed_pairs *p, char said[256])
{
	static char shell[] = "/bin/sh", c[] = "-c", print[] = "echo 1", more[64];
	static char *before_words[] = {shell, c, print, NULL},
		    *after_words[] = {shell, c, more, NULL};
	static const volatile sig_atomic_t stop;
	const struct sd_sink sink = {keep, said};
	const struct sd_cli cli = {.sink = &sink, .stop = &stop};

	snprintf(more, sizeof more, "%s", after);
	*said = '\0';
	*p = (struct sd_timed_pairs){
		.side = {{"one", before_words, NULL, 0}, {"the other", after_words, NULL, 0}}};
	return sd_timed_pairs_run(&cli, p, 0);
}

static void both_are_run_and_compared(void **state)
{
	struct sd_timed_pairs p;
	char said[256];

	(void)state;
	refused = 0;
	assert_int_equal(run("echo 1", &p, said), SD_EXIT_DONE);
	assert_int_equal(p.pairs, 5);
	assert_true(p.same && p.steady && p.gain.low <= p.gain.high);
	assert_int_equal(run("echo 2", &p, said), SD_EXIT_DONE);
	assert_true(!p.same && p.steady);
	assert_string_equal(said, "");
	assert_int_equal(run("exit 3", &p, said), SD_EXIT_PROGRAM);
	assert_non_null(strstr(said, "the other ends with status 3"));
}

static void what_is_printed_and_cannot_be_kept_is_said(void **state)
{
	struct sd_timed_pairs p;
	char said[256];

	(void)state;
	refused = 1;
	assert_int_equal(run("echo 1", &p, said), SD_EXIT_MEASURE);
	assert_int_equal(p.pairs, 0);
	assert_non_null(strstr(said, "cannot keep what is printed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_are_run_and_compared),
		cmocka_unit_test(what_is_printed_and_cannot_be_kept_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
