/*
 * Killed outright, at the moment when each of the things is there that are there only for a moment:
 * the next start of any command removes it, not before the one that made it is dead, and nothing
 * else.
 */
#include "e2e/e2e.h"

#include <dirent.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define THESIS "ten years of work\n"

/* Names in the test's folder with `part` in them. */
static size_t count(const struct e2e *e, const char *part)
{
	const struct dirent *entry;
	DIR *const d = opendir(e->folder);
	size_t n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		n += strstr(entry->d_name, part) != NULL;
	closedir(d);
	return n;
}

static void await(const struct e2e *e, const char *part)
{
	for (int i = 0; i < 6000 && count(e, part) == 0; i++)
		e2e_nap(10);
	assert_true(count(e, part) > 0);
}

/* The cheapest command: it fails, and has looked for leftovers. */
static void next_command(struct e2e *e)
{
	struct e2e_result r;

	e2e_run(e, &r, "report", "nothing.json");
	e2e_expect_status(&r, 4);
	e2e_result_free(&r);
}

/* Whoever ends the tree of one that was killed needs a moment, and lives meanwhile. */
static void expect_swept(struct e2e *e, const char *part)
{
	for (int i = 0; i < 400 && count(e, part) > 0; i++) {
		next_command(e);
		e2e_nap(20);
	}
	assert_int_equal(count(e, part), 0);
}

/* A job of which the thing with `part` in its name is there; lives, and is then killed. */
static void kill_with(struct e2e *e, struct e2e_job *job, const char *part)
{
	struct e2e_result r;
	size_t there;

	await(e, part);
	e2e_write(e2e_path(e, "slow"), "");
	e2e_nap(1000);
	there = count(e, part);
	assert_true(there > 0);
	next_command(e);
	assert_int_equal(count(e, part), there);
	kill(job->pid, SIGKILL);
	e2e_wait(job, &r, 10);
	e2e_expect_status(&r, 128 + SIGKILL);
	e2e_result_free(&r);
}

static void expect_thesis(const struct e2e *e, const char *name)
{
	size_t n;
	char *const there = e2e_read(e2e_path(e, name), &n);

	assert_non_null(there);
	assert_string_equal(there, THESIS);
	free(there);
}

/* ---- */

static int tmp_here(void *ctx)
{
	return setenv("TMPDIR", ctx, 1);
}

static void a_lesson_s_folder(void **state)
{
	static const char *const args[] = {"learn", "one-mutex", NULL};
	struct e2e *const e = *state;
	struct e2e_job job;
	size_t n = 0;

	assert_int_equal(mkdir(e2e_path(e, "scalediag-learn-mine"), 0700), 0);
	e2e_write(e2e_path(e, "scalediag-learn-mine/thesis"), THESIS);
	e2e_start(e, &job, tmp_here, e->folder, args);
	/* trials of its size have a folder of their own each */
	for (int i = 0; i < 3000 && (n = count(e, "scalediag-learn-")) < 2; i++)
		e2e_nap(10);
	assert_int_equal(n, 2);
	kill_with(e, &job, "scalediag-learn-");
	for (int i = 0; i < 400 && count(e, "scalediag-learn-") > 1; i++) {
		next_command(e);
		e2e_nap(20);
	}
	assert_int_equal(count(e, "scalediag-learn-"), 1);
	expect_thesis(e, "scalediag-learn-mine/thesis");
}

#ifdef ARCH
/* The kernel kills it where it would sync, as outright as SIGKILL does. */
static int killed_at_fsync(void *ctx)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};

	(void)ctx;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}
#endif

static void a_file_written_aside(void **state)
{
#ifdef ARCH
	static const char foreign[] = ".o.json.0123456789abcdef.scalediag-tmp";
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_write(e2e_path(e, "in.csv"), "cores,wall_s\n1,1.0\n1,1.1\n2,0.6\n2,0.6\n");
	e2e_write(e2e_path(e, foreign), THESIS);
	e2e_run_hooked(
		e, &r, killed_at_fsync, NULL, "import", "--from", "csv", "in.csv", "-o", "o.json");
	if (r.status == 125)
		e2e_skip(__func__, "no seccomp filters here");
	e2e_expect_status(&r, 128 + SIGSYS);
	e2e_result_free(&r);
	/* another command of this user's may have been there already */
	next_command(e);
	assert_int_equal(count(e, ".scalediag-tmp"), 1);
	expect_thesis(e, foreign); /* no note of ours names it */
	assert_int_equal(access(e2e_path(e, "o.json"), F_OK), -1);
#else
	e2e_skip(__func__, "not written for this processor");
#endif
}

static void the_lock_of_a_record(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"--cores", "1", "--samples", "none", "--experiments", "none",
		"-o", "r.json", "--", "/bin/sleep", "60", NULL};
	struct e2e_job job;

	e2e_start(e, &job, NULL, NULL, args);
	kill_with(e, &job, ".lock");
	expect_swept(e, ".lock");
}

static void the_folders_of_copies(void **state)
{
	struct e2e *const e = *state;
	char script[400];
	const char *const args[] = {"--cores", "1,2", "--repeats", "1", "--samples", "none",
		"--experiments", "replicas", "--isolate", "-o", "r.json", "--", "/bin/sh", "-c",
		script, NULL};
	struct e2e_job job;

	e2e_need_two_cpus(__func__);
	snprintf(script, sizeof script, "sleep 0.5; [ -e '%s' ] && sleep 60; true",
		e2e_path(e, "slow"));
	e2e_write(e2e_path(e, "thesis"), THESIS);
	e2e_start(e, &job, NULL, NULL, args);
	kill_with(e, &job, ".copy1.d");
	expect_swept(e, ".copy");
	expect_thesis(e, "thesis");
}

/* A link that has come in its place since is not followed. */
static void a_link_where_a_folder_was_is_left_alone(void **state)
{
	struct e2e *const e = *state;
	char script[400];
	const char *const args[] = {"--cores", "1,2", "--repeats", "1", "--samples", "none",
		"--experiments", "replicas", "--isolate", "-o", "in/r.json", "--", "/bin/sh", "-c",
		script, NULL};
	struct e2e_result r;
	struct e2e_job job;

	e2e_need_two_cpus(__func__);
	snprintf(script, sizeof script, "sleep 0.5; [ -e '%s' ] && sleep 60; true",
		e2e_path(e, "slow"));
	assert_int_equal(mkdir(e2e_path(e, "in"), 0700), 0);
	e2e_start(e, &job, NULL, NULL, args);
	for (int i = 0; i < 6000 && access(e2e_path(e, "in/r.scalediag.copy1.d"), F_OK) != 0; i++)
		e2e_nap(10);
	e2e_write(e2e_path(e, "slow"), "");
	e2e_nap(1000);
	kill(job.pid, SIGKILL);
	e2e_wait(&job, &r, 10);
	e2e_result_free(&r);
	assert_int_equal(rename(e2e_path(e, "in"), e2e_path(e, "moved")), 0);
	assert_int_equal(symlink("moved", e2e_path(e, "in")), 0);
	e2e_write(e2e_path(e, "moved/r.scalediag.copy1.d/thesis"), THESIS);
	for (int i = 0; i < 50; i++) {
		next_command(e);
		e2e_nap(20);
	}
	expect_thesis(e, "moved/r.scalediag.copy1.d/thesis");
}

static void the_files_of_a_simulation(void **state)
{
	/* of the forked shell, while the first one still waits */
	static const char script[] = "( : ); sleep 0.5; [ -e slow ] && sleep 60; true";
	static const char *const args[] = {"--cores", "1", "--repeats", "1", "--samples", "none",
		"--experiments", "none", "--events", "sim", "-o", "r.json", "--", "/bin/sh", "-c",
		script, NULL};
	struct e2e *const e = *state;
	struct e2e_job job;

	if (access("/usr/bin/qemu-x86_64", X_OK) != 0)
		e2e_skip(__func__, "there is no qemu-x86_64");
	e2e_write(e2e_path(e, "r.scalediag.sim.1.sim"), THESIS);
	e2e_start(e, &job, NULL, NULL, args);
	for (int i = 0; i < 6000 && count(e, ".sim") < 2; i++)
		e2e_nap(10);
	kill_with(e, &job, ".sim");
	for (int i = 0; i < 400 && count(e, ".sim") > 1; i++) {
		next_command(e);
		e2e_nap(20);
	}
	expect_thesis(e, "r.scalediag.sim.1.sim");
	assert_int_equal(count(e, ".sim"), 1);
}

/* ---- cgroups */

#define CPUSET "/sys/fs/cgroup/cpuset/"

static int write_to(const char *folder, const char *file, const char *text)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, file);
	f = fopen(path, "we");
	if (!f)
		return -1;
	fputs(text, f);
	return fclose(f);
}

static int join(void *ctx)
{
	char pid[32];

	snprintf(pid, sizeof pid, "%d", (int)getpid());
	return write_to(ctx, "cgroup.procs", pid);
}

static int copy_from_parent(const char *folder, const char *file)
{
	char from[600], *text;
	size_t n;
	int rc;

	snprintf(from, sizeof from, CPUSET "%s", file);
	text = e2e_read(from, &n);
	rc = text ? write_to(folder, file, text) : -1;
	free(text);
	return rc;
}

static size_t groups(const char *folder)
{
	DIR *const d = opendir(folder);
	const struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d)))
		n += strncmp(entry->d_name, "scalediag-", 10) == 0;
	if (d)
		closedir(d);
	return n;
}

/* Version 1: there a process may be in a cgroup that has others below it. */
static void a_cgroup_made_below_another_parent(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"--cores", "1", "--samples", "none", "--experiments", "none",
		"-o", "r.json", "--", "/bin/sleep", "60", NULL};
	char folder[128];
	struct e2e_result r;
	struct e2e_job job;

	snprintf(folder, sizeof folder, CPUSET "e2e-leftovers-%d", (int)getpid());
	if (mkdir(folder, 0755) != 0)
		e2e_skip(__func__, "no cpuset cgroup of version 1 may be made here");
	if (copy_from_parent(folder, "cpuset.cpus") || copy_from_parent(folder, "cpuset.mems")) {
		rmdir(folder);
		e2e_skip(__func__, "no cpuset cgroup of version 1 may be set up here");
	}
	e2e_start(e, &job, join, folder, args);
	for (int i = 0; i < 3000 && groups(folder) == 0; i++)
		e2e_nap(10);
	assert_int_equal(groups(folder), 1);
	next_command(e);
	assert_int_equal(groups(folder), 1);
	kill(job.pid, SIGKILL);
	e2e_wait(&job, &r, 10);
	e2e_result_free(&r);
	/* from outside of that parent */
	for (int i = 0; i < 400 && groups(folder) > 0; i++) {
		next_command(e);
		e2e_nap(20);
	}
	assert_int_equal(groups(folder), 0);
	for (int i = 0; i < 100 && rmdir(folder) != 0; i++)
		e2e_nap(20);
	assert_int_equal(access(folder, F_OK), -1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_lesson_s_folder),
		TEST(a_file_written_aside),
		TEST(the_lock_of_a_record),
		TEST(the_folders_of_copies),
		TEST(a_link_where_a_folder_was_is_left_alone),
		TEST(the_files_of_a_simulation),
		TEST(a_cgroup_made_below_another_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
