/* Holding processes in a cpuset cgroup, on the machine itself; skipped where it may not be made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup/cgroup.h"
#include "machine/private_cgroup.h"
#include "support/first_cpu.h"

static void must_hold(const char *test, struct sd_private_cgroup *h, struct sd_cpulist *cpus)
{
	const int rc = sd_private_cgroup_cpuset(h, cpus);

	if (rc) {
		sd_cpulist_free(cpus);
		fprintf(stderr, "SKIP: %s: no private cpuset cgroup here: %s\n", test,
			strerror(-rc));
		skip();
	}
}

/* How many folders named `prefix`… are beside this process's cgroup's files. */
static unsigned folders(const char *prefix)
{
	struct sd_cgroup cg;
	const struct dirent *e;
	unsigned n = 0;
	DIR *d;

	if (sd_cgroup_find(NULL, 0, SD_CGROUP_CPUSET, &cg))
		return 0;
	d = opendir(cg.path);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
	closedir(d);
	return n;
}

/* A child that tries every CPU in turn and says, by its exit status, whether it got off `cpu`. */
static int escapes(const struct sd_private_cgroup *h, unsigned cpu)
{
	int go[2], status;
	pid_t pid;
	char c = 0;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		cpu_set_t *all = CPU_ALLOC(SD_CPU_MAX);
		const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);

		if (!all || read(go[0], &c, 1) != 1)
			_exit(2);
		memset(all, 0xff, size);
		CPU_CLR_S(cpu, size, all);
		_exit(sched_setaffinity(0, size, all) == 0 && sched_getcpu() != (int)cpu);
	}
	assert_int_equal(sd_private_cgroup_add(h, pid), 0);
	assert_int_equal(write(go[1], &c, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(go[0]);
	close(go[1]);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status);
}

static void a_held_process_cannot_leave_its_cpus(void **state)
{
	struct sd_cpulist cpus = first_cpu();
	struct sd_private_cgroup h;

	(void)state;
	must_hold("a_held_process_cannot_leave_its_cpus", &h, &cpus);
	assert_int_equal(escapes(&h, cpus.cpu[0]), 0);
	assert_int_equal(sd_private_cgroup_close(&h), 0);
	assert_string_equal(h.path, "");
	sd_cpulist_free(&cpus);
}

static void closing_sends_a_living_process_back_and_removes_the_folder(void **state)
{
	struct sd_cpulist cpus = first_cpu();
	struct sd_private_cgroup h;
	struct stat st;
	char path[sizeof h.path];
	pid_t pid;

	(void)state;
	must_hold("closing_sends_a_living_process_back_and_removes_the_folder", &h, &cpus);
	memcpy(path, h.path, sizeof path);
	assert_int_equal(stat(path, &st), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_int_equal(sd_private_cgroup_add(&h, pid), 0);
	assert_int_equal(sd_private_cgroup_close(&h), 0);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sd_cpulist_free(&cpus);
}

static void what_a_dead_scalediag_left_is_removed_and_others_folders_stay(void **state)
{
	struct sd_cpulist cpus = first_cpu();
	struct sd_cgroup cg;
	struct sd_private_cgroup h;
	struct stat st, ns;
	char stale[SD_CGROUP_PATH + 128], foreign[SD_CGROUP_PATH + 128];
	pid_t pid, orphan;

	(void)state;
	must_hold("what_a_dead_scalediag_left_is_removed_and_others_folders_stay", &h, &cpus);
	orphan = fork();
	if (orphan == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_int_equal(sd_private_cgroup_add(&h, orphan), 0);
	pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(sd_cgroup_find(NULL, 0, SD_CGROUP_CPUSET, &cg), 0);
	assert_int_equal(stat("/proc/self/ns/pid", &ns), 0);
	snprintf(stale, sizeof stale, "%s/scalediag-%llu-%d-1-1", cg.path,
		(unsigned long long)ns.st_ino, pid);
	/* the same number in another PID namespace may well be alive */
	snprintf(foreign, sizeof foreign, "%s/scalediag-%llu-%d-1-1", cg.path,
		(unsigned long long)ns.st_ino + 1, pid);
	/* of a scalediag that was killed, with a process still in it */
	if (rename(h.path, stale) != 0) { /* version 2 renames nothing */
		struct sd_private_cgroup other = {.version = h.version};

		assert_true(snprintf(other.path, sizeof other.path, "%s", stale) <
			    (int)sizeof other.path);
		assert_int_equal(mkdir(stale, 0755), 0);
		assert_int_equal(sd_private_cgroup_add(&other, orphan), 0);
		assert_int_equal(sd_private_cgroup_close(&h), 0);
	} else {
		sd_leftover_note_close(&h.note);
	}
	assert_int_equal(mkdir(foreign, 0755), 0);
	assert_int_equal(sd_private_cgroup_cpuset(&h, &cpus), 0);
	assert_int_equal(stat(stale, &st), -1);
	assert_int_equal(rmdir(foreign), 0);
	assert_int_equal(kill(orphan, SIGKILL), 0);
	assert_int_equal(waitpid(orphan, NULL, 0), orphan);
	assert_int_equal(sd_private_cgroup_close(&h), 0);
	sd_cpulist_free(&cpus);
}

static void cpus_that_do_not_exist_are_refused_and_nothing_is_left(void **state)
{
	struct sd_cpulist cpus = {0};
	struct sd_private_cgroup h;
	struct stat ns;
	char mine[128];

	(void)state;
	assert_int_equal(sd_cpulist_add(&cpus, SD_CPU_MAX - 1), 0);
	assert_true(sd_private_cgroup_cpuset(&h, &cpus) < 0);
	assert_string_equal(h.path, "");
	assert_int_equal(stat("/proc/self/ns/pid", &ns), 0);
	snprintf(mine, sizeof mine, "scalediag-%llu-%d-", (unsigned long long)ns.st_ino, getpid());
	assert_int_equal(folders(mine), 0);
	sd_cpulist_free(&cpus);
}

static void the_empty_hold_can_be_closed_and_holds_nobody(void **state)
{
	struct sd_private_cgroup h = {0};

	(void)state;
	assert_int_equal(sd_private_cgroup_close(&h), 0);
	assert_int_equal(sd_private_cgroup_add(&h, getpid()), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_held_process_cannot_leave_its_cpus),
		cmocka_unit_test(closing_sends_a_living_process_back_and_removes_the_folder),
		cmocka_unit_test(what_a_dead_scalediag_left_is_removed_and_others_folders_stay),
		cmocka_unit_test(cpus_that_do_not_exist_are_refused_and_nothing_is_left),
		cmocka_unit_test(the_empty_hold_can_be_closed_and_holds_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
