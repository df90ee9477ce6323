/* Which commit a folder is at: what git writes is read, and nothing else of what a repository says.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "launch/source_commit.h"

#define ONE "0123456789abcdef0123456789abcdef01234567"
#define TWO "89abcdef0123456789abcdef0123456789abcdef"
#define LONG ONE "0123456789abcdef01234567"

static char folder[64];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/scalediag-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

/* Writes a file of the folder and the folders that it needs. */
static void put(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	for (char *s = path + strlen(folder) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*s = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void expect(const char *from, const char *root, const char *commit, const char *branch)
{
	struct sd_source_commit c;
	char path[512], top[512];

	snprintf(path, sizeof path, "%s/%s", folder, from);
	snprintf(top, sizeof top, "%s/%s", folder, root ? root : "");
	top[strlen(top) - (!root || !*root)] = '\0';
	assert_int_equal(sd_source_commit_read(path, &c), 0);
	assert_string_equal(c.commit, commit);
	assert_string_equal(c.branch, branch);
	if (root)
		assert_string_equal(c.root, top);
	else
		assert_null(c.root);
	free(c.root);
}

static void a_branch_is_read_from_its_ref_or_the_packed_ones(void **state)
{
	(void)state;
	put("app/.git/HEAD", "ref: refs/heads/topic/x\n");
	put("app/.git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n" TWO
				    " refs/heads/topic/x\n" ONE " refs/tags/v1\n^" TWO "\n");
	put("app/src/a/here", "");
	expect("app/src/a", "app", TWO, "topic/x");
	put("app/.git/refs/heads/topic/x", ONE "\n");
	expect("app/src/a", "app", ONE, "topic/x");
	put("app/.git/refs/heads/topic/x", LONG "\n");
	expect("app", "app", LONG, "topic/x");
}

static void a_detached_head_has_no_branch(void **state)
{
	(void)state;
	put(".git/HEAD", ONE "\n");
	expect("no/such/folder", "", ONE, "");
}

static void a_worktree_shares_the_refs_of_its_repository(void **state)
{
	char text[256];

	(void)state;
	put("main/.git/refs/heads/w", TWO "\n");
	put("main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
	put("main/.git/worktrees/w/commondir", "../..\n");
	snprintf(text, sizeof text, "gitdir: %s/main/.git/worktrees/w\n", folder);
	put("w/.git", text);
	expect("w", "w", TWO, "w");
	put("w/.git", "gitdir: ../main/.git/worktrees/w\n"); /* as a submodule says it */
	expect("w", "w", TWO, "w");
}

/* Whatever they say, no other file is read, and nothing is taken for a commit that is none. */
static void what_is_no_repository_is_nothing(void **state)
{
	static const char *const head[] = {"ref: ../../secret", "ref: refs/../../secret",
		"ref: refs/heads/../../../secret", "ref: /etc/passwd", "ref: refs/heads/",
		"ref: ", "", "0123456", "not a commit at all", ONE "0", "ref: refs/heads/none"};
	char path[128];

	(void)state;
	put("secret", ONE "\n");
	for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
		put("app/.git/HEAD", head[i]);
		expect("app", NULL, "", "");
	}
	put("app/.git/HEAD", "ref: refs/heads/main\n");
	put("app/.git/refs/heads/main", "upper CASE is no commit\n");
	expect("app", NULL, "", "");
	/* a pipe that nobody writes to does not hold us up */
	put("pipe/.git/here", "");
	snprintf(path, sizeof path, "%s/pipe/.git/HEAD", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect("pipe", NULL, "", "");
}

static void a_relative_folder_is_not_looked_at(void **state)
{
	struct sd_source_commit c;

	(void)state;
	assert_int_equal(sd_source_commit_read("app", &c), 0);
	assert_string_equal(c.commit, "");
	assert_null(c.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_branch_is_read_from_its_ref_or_the_packed_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(a_detached_head_has_no_branch, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_worktree_shares_the_refs_of_its_repository, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_repository_is_nothing, setup, teardown),
		cmocka_unit_test(a_relative_folder_is_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
