/*
 * Stages of a pipeline are told by the pipes between standard outputs and inputs.
 */
#include "threads/pipe_stages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/fakeproc.h"

static struct sd_pipe_stages stages;
static char root[64];

/* One descriptor of a process; NULL: it has none. */
static void link_fd(int pid, int fd, const char *to)
{
	char path[128];

	snprintf(path, sizeof path, "proc/%d/fd/none", pid);
	fake_write(root, path, "%s", "");
	snprintf(path, sizeof path, "%s/proc/%d/fd/%d", root, pid, fd);
	(void)unlink(path);
	if (to)
		assert_int_equal(symlink(to, path), 0);
}

static void look(int pid, const char *in, const char *out)
{
	link_fd(pid, 0, in);
	link_fd(pid, 1, out);
	assert_int_equal(sd_pipe_stages_look(&stages, root, pid), 0);
}

static void expect(int pid, unsigned stage, unsigned of)
{
	unsigned number = 99, all = 99;

	sd_pipe_stages_place(&stages, pid, &number, &all);
	assert_int_equal(number, stage);
	assert_int_equal(all, of);
}

static void stages_are_numbered_along_their_pipes(void **state)
{
	(void)state;
	look(10, "/dev/null", "/tmp/out"); /* the shell */
	look(13, "pipe:[72]", "/tmp/out");
	look(11, "/dev/null", "pipe:[71]");
	look(12, "pipe:[71]", "pipe:[72]");
	expect(10, 0, 0);
	expect(11, 1, 3);
	expect(12, 2, 3);
	expect(13, 3, 3);
	expect(14, 0, 0);
}

/* A look before the exec finds the shell's own descriptors, one at the end none. */
static void the_last_pipes_that_were_seen_count(void **state)
{
	(void)state;
	look(11, "pipe:[5]", "pipe:[6]");
	look(12, "/dev/null", "/tmp/out");
	expect(11, 0, 0);
	look(11, "/dev/null", "pipe:[71]");
	look(12, "pipe:[71]", "/tmp/out");
	look(12, NULL, NULL);
	expect(11, 1, 2);
	expect(12, 2, 2);
}

/* Two that write into one pipe are one stage; pipes to somebody else make none. */
static void others_pipes_make_no_stage(void **state)
{
	(void)state;
	look(11, "/dev/null", "pipe:[71]");
	look(12, "/dev/null", "pipe:[71]");
	look(13, "pipe:[71]", "pipe:[9]");
	look(14, "pipe:[8]", "socket:[71]");
	expect(11, 1, 2);
	expect(12, 1, 2);
	expect(13, 2, 2);
	expect(14, 0, 0);
}

static void a_ring_has_no_first_stage(void **state)
{
	(void)state;
	look(11, "pipe:[72]", "pipe:[71]");
	look(12, "pipe:[71]", "pipe:[72]");
	expect(11, 0, 0);
	expect(12, 0, 0);
	look(13, "pipe:[73]", "pipe:[73]");
	expect(13, 0, 0);
}

static int setup(void **state)
{
	(void)state;
	fake_make(root);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sd_pipe_stages_free(&stages);
	fake_remove(root);
	return 0;
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(stages_are_numbered_along_their_pipes),
		TEST(the_last_pipes_that_were_seen_count),
		TEST(others_pipes_make_no_stage),
		TEST(a_ring_has_no_first_stage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
