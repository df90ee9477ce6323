/*
 * Files are opened as the process that named them, below its root, and only regular ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <grp.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/regular_file.h"
#include "target/target_trees.h"
#include "target/target_view.h"

#define NOBODY 65534u

static char folder[64];

static const char *in(const char *name)
{
	static char path[4][128];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
	return path[turn];
}

static void put(const char *name, const char *text, mode_t mode, uid_t owner)
{
	FILE *const f = fopen(in(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(in(name), mode), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(in(name), owner, owner), 0);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/target_view.XXXXXX");
	if (!mkdtemp(folder) || chmod(folder, 0755) || mkdir(in("tree"), 0755) ||
		mkdir(in("over"), 0755))
		return -1;
	put("open", "open", 0644, 0);
	put("secret", "secret", 0600, 0);
	put("theirs", "theirs", 0600, NOBODY);
	put("module", "module", 0755, NOBODY);
	put("tree/secret", "inner", 0644, 0);
	put("over/file", "host", 0644, 0);
	return symlink(in("secret"), in("tree/absolute")) || symlink("../secret", in("tree/up")) ||
			       symlink("secret", in("tree/inside")) || mkfifo(in("fifo"), 0666)
		       ? -1
		       : 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static void needs_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root: only root reads what others may not\n");
		skip();
	}
}

/* A process that prepares itself, says so, and waits to be killed. */
static pid_t start(void (*prepare)(void))
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prepare();
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(1);
}

static void go_below(void)
{
	if (chroot(in("tree")) || chdir("/"))
		_exit(1);
}

static void mount_over(void)
{
	FILE *f;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", in("over"), "tmpfs", 0, NULL))
		_exit(1);
	f = fopen(in("over/file"), "w");
	if (!f || fputs("inner", f) < 0 || fclose(f))
		_exit(1);
}

static void do_nothing(void)
{
}

/* The text that a name leads to for the process; "" with *rc: it is not opened. */
static const char *seen_by(pid_t pid, const char *path, const struct stat *author, int *rc)
{
	static char text[16];
	struct sd_target_view v;
	ssize_t n;
	int fd;

	text[0] = '\0';
	assert_int_equal(sd_target_view_of(&v, pid), 0);
	fd = sd_target_view_open(&v, path, 0, author, NULL);
	sd_target_view_close(&v);
	*rc = fd < 0 ? fd : 0;
	if (fd < 0)
		return text;
	n = read(fd, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	close(fd);
	return text;
}

static void what_the_process_may_not_read_is_not_read(void **state)
{
	gid_t before[64], after[64];
	struct stat st;
	pid_t pid;
	int rc, n, m;

	(void)state;
	needs_root();
	n = getgroups(64, before);
	pid = start(become_nobody);
	assert_string_equal(seen_by(pid, in("open"), NULL, &rc), "open");
	assert_string_equal(seen_by(pid, in("theirs"), NULL, &rc), "theirs");
	assert_string_equal(seen_by(pid, in("secret"), NULL, &rc), "");
	assert_int_equal(rc, -EACCES);
	assert_string_equal(seen_by(pid, "/etc/shadow", NULL, &rc), "");
	stop(pid);
	/* and afterwards we are who we were */
	m = getgroups(64, after);
	assert_int_equal(n, m);
	assert_memory_equal(before, after, (size_t)n * sizeof *before);
	assert_int_equal(setfsuid((uid_t)-1), 0);
	assert_int_equal(setfsgid((gid_t)-1), getegid());
	rc = sd_regular_file_open(in("secret"), 0, &st);
	assert_true(rc >= 0);
	close(rc);
}

static void root_reads_a_users_name_as_that_user(void **state)
{
	struct stat author;
	pid_t pid;
	int rc;

	(void)state;
	needs_root();
	pid = start(do_nothing);
	assert_int_equal(stat(in("module"), &author), 0);
	assert_string_equal(seen_by(pid, in("open"), &author, &rc), "open");
	assert_string_equal(seen_by(pid, in("secret"), &author, &rc), "");
	assert_int_equal(rc, -EACCES);
	/* its own it reads itself */
	assert_int_equal(stat(in("open"), &author), 0);
	assert_string_equal(seen_by(pid, in("secret"), &author, &rc), "secret");
	stop(pid);
}

static void look_below(void)
{
	const pid_t pid = start(go_below);
	int rc;

	assert_string_equal(seen_by(pid, "/secret", NULL, &rc), "inner");
	assert_string_not_equal(seen_by(pid, "/../secret", NULL, &rc), "secret");
	assert_string_not_equal(seen_by(pid, "/absolute", NULL, &rc), "secret");
	assert_string_not_equal(seen_by(pid, "/up", NULL, &rc), "secret");
	assert_string_equal(seen_by(pid, in("open"), NULL, &rc), "");
	stop(pid);
}

static void no_link_leads_out_of_its_root(void **state)
{
	(void)state;
	needs_root();
	look_below();
}

/* openat2() as on a kernel before 5.6. */
static void forget_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog program = {sizeof code / sizeof *code, code};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static void a_file_of_another_mount_namespace_is_its_own(void **state)
{
	pid_t pid;
	int rc;

	(void)state;
	needs_root();
	pid = start(mount_over);
	assert_string_equal(seen_by(pid, in("over/file"), NULL, &rc), "inner");
	assert_string_equal(seen_by(getpid(), in("over/file"), NULL, &rc), "host");
	stop(pid);
}

static void only_regular_files_that_hold_data_are_opened(void **state)
{
	static const char *const others[] = {"/dev/null", "/proc/1/maps", "/proc/self/maps",
		"/proc/self/environ", "/sys/kernel/profiling", "/tmp"};
	int rc;

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_string_equal(seen_by(getpid(), others[i], NULL, &rc), "");
		assert_true(rc < 0);
	}
	assert_string_equal(seen_by(getpid(), in("fifo"), NULL, &rc), "");
	assert_int_equal(rc, -EINVAL);
}

/* Opening a FIFO for reading wakes who waits to write: it must not come to that. */
static void a_fifos_other_end_hears_nothing(void **state)
{
	pid_t pid;
	int rc, status;

	(void)state;
	pid = fork();
	if (pid == 0)
		_exit(open(in("fifo"), O_WRONLY) < 0);
	for (int i = 0; i < 20; i++) {
		struct sd_target_view v;

		sd_target_view_ours(&v);
		rc = sd_target_view_open(&v, in("fifo"), 0, NULL, NULL);
		assert_int_equal(rc, -EINVAL);
		assert_int_equal(sd_regular_file_open(in("fifo"), 0, NULL), -EINVAL);
		usleep(5000);
	}
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	stop(pid);
}

static void trees_that_disagree_give_nothing(void **state)
{
	struct sd_target_trees trees = {0};
	struct stat module, st;
	pid_t pid;
	int fd;

	(void)state;
	needs_root();
	assert_int_equal(sd_target_trees_open(&trees, NULL, in("open"), &module, &st), -ENOENT);
	assert_int_equal(sd_target_trees_add_ours(&trees, folder), 0);
	fd = sd_target_trees_open(&trees, in("open"), "over/file", &module, &st);
	assert_true(fd >= 0);
	close(fd);
	/* a module that is gone: nobody knows who wrote the name */
	assert_int_equal(
		sd_target_trees_open(&trees, in("gone"), in("open"), &module, &st), -ENOENT);
	assert_int_equal(
		sd_target_trees_open(&trees, in("module"), in("secret"), &module, &st), -EACCES);
	pid = start(mount_over);
	assert_int_equal(sd_target_trees_add(&trees, pid), 0);
	assert_int_equal(sd_target_trees_add(&trees, pid), 0);
	assert_int_equal(trees.n, 2);
	assert_int_equal(
		sd_target_trees_open(&trees, in("open"), in("over/file"), &module, &st), -ENOENT);
	fd = sd_target_trees_open(&trees, in("open"), in("open"), &module, &st);
	assert_true(fd >= 0);
	close(fd);
	stop(pid);
	sd_target_trees_free(&trees);
}

/* Last: it cannot be taken back. */
static void without_openat2_no_link_is_followed_at_all(void **state)
{
	(void)state;
	needs_root();
	forget_openat2();
	look_below();
	only_regular_files_that_hold_data_are_opened(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_process_may_not_read_is_not_read),
		cmocka_unit_test(root_reads_a_users_name_as_that_user),
		cmocka_unit_test(no_link_leads_out_of_its_root),
		cmocka_unit_test(a_file_of_another_mount_namespace_is_its_own),
		cmocka_unit_test(only_regular_files_that_hold_data_are_opened),
		cmocka_unit_test(a_fifos_other_end_hears_nothing),
		cmocka_unit_test(trees_that_disagree_give_nothing),
		cmocka_unit_test(without_openat2_no_link_is_followed_at_all),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
