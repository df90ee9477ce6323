/* Whose /proc files are whose, and what that says of counters: on fake trees, and on processes. */
#include "threads/dumpable.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "support/fakeproc.h"

#define USER 1000
#define OTHER 1001

static void give(const char *root, const char *path, uid_t owner)
{
	char full[256];

	snprintf(full, sizeof full, "%s/%s", root, path);
	assert_int_equal(chown(full, owner, (gid_t)-1), 0);
}

/* Rows hold what Linux 6.18 showed of each kind of process. */
static void owners_tell_whose_counters_were_ended(void **state)
{
	static const struct {
		const char *what;
		uid_t user, owner, watcher;
		int memory, lost;
	} rows[] = {
		{"a user's own", USER, USER, USER, 1, 0},
		{"may be executed, not read", USER, 0, USER, 1, 1},
		{"setuid root", 0, 0, USER, 1, 1},
		{"setuid to another", OTHER, 0, USER, 1, 1},
		{"what sudo -u has started", OTHER, OTHER, USER, 1, 1},
		{"root's own", 0, 0, 0, 1, 0},
		{"root's, become a user", USER, USER, 0, 1, 0},
		{"root's, setuid to a user", USER, 0, 0, 1, 1},
		{"a user's own, over", USER, 0, USER, 0, 0},
	};
	const char *const root = *state;

	if (geteuid() != 0) {
		fprintf(stderr, "SKIP: only root can give files to others\n");
		skip();
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fake_write(root, "proc/7/stat", "7 (x) R\n");
		fake_write(root, "proc/7/statm", "%s 1 1 1 0 1 0\n", rows[i].memory ? "90" : "0");
		give(root, "proc/7", rows[i].user);
		give(root, "proc/7/stat", rows[i].owner);
		if (sd_dumpable_lost(root, 7, rows[i].watcher) != rows[i].lost)
			fail_msg("%s: not %d", rows[i].what, rows[i].lost);
	}
}

static void who_is_not_there_says_so(void **state)
{
	assert_int_equal(sd_dumpable_lost(*state, 7, 0), -ENOENT);
}

static void this_process_is_counted(void **state)
{
	(void)state;
	if (prctl(PR_GET_DUMPABLE) != 1) {
		fprintf(stderr, "SKIP: this test itself is undumpable\n");
		skip();
	}
	assert_int_equal(sd_dumpable_lost("", getpid(), geteuid()), 0);
}

/* Its files are root's: it has no memory left that could be anybody's. */
static void a_zombie_is_over_and_not_lost(void **state)
{
	siginfo_t info;
	const pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(sd_dumpable_lost("", pid, geteuid()), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(owners_tell_whose_counters_were_ended),
		TEST(who_is_not_there_says_so),
		cmocka_unit_test(this_process_is_counted),
		cmocka_unit_test(a_zombie_is_over_and_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
