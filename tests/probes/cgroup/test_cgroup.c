/* Finding cgroups and quotas in fake trees: version 1, version 2, both, and what no
 * kernel writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup/cgroup.h"
#include "proc/textfile.h"

#define TREES "tests/fixtures/"

static void a_cgroup_is_found_through_the_mount_that_shows_it(void **state)
{
	static const struct {
		const char *tree;
		enum sd_cgroup_controller controller;
		int rc, version;
		const char *path; /* below the tree */
		const char *top;
	} rows[] = {
		{"cgroup-v2", SD_CGROUP_CPU, 0, 2, "/sys/fs/cgroup/app.slice/web.service/worker",
			"/sys/fs/cgroup"},
		{"cgroup-v2", SD_CGROUP_IO, 0, 2, "/sys/fs/cgroup/app.slice/web.service/worker",
			"/sys/fs/cgroup"},
		{"cgroup-v1", SD_CGROUP_CPU, 0, 1, "/sys/fs/cgroup/cpu,cpuacct",
			"/sys/fs/cgroup/cpu,cpuacct"},
		{"cgroup-v1", SD_CGROUP_CPUACCT, 0, 1, "/sys/fs/cgroup/cpu,cpuacct",
			"/sys/fs/cgroup/cpu,cpuacct"},
		{"cgroup-v1", SD_CGROUP_CPUSET, 0, 1, "/sys/fs/cgroup/cpuset",
			"/sys/fs/cgroup/cpuset"},
		{"cgroup-v1", SD_CGROUP_MEMORY, -ENOENT, 0, "", ""},
		{"cgroup-hybrid", SD_CGROUP_CPU, 0, 1, "/sys/fs/cgroup/cpu/jobs/7",
			"/sys/fs/cgroup/cpu"},
		{"cgroup-hybrid", SD_CGROUP_MEMORY, 0, 1, "/sys/fs/cgroup/memory/jobs/memory-only",
			"/sys/fs/cgroup/memory"},
		{"cgroup-hybrid", SD_CGROUP_CPUSET, 0, 2, "/sys/fs/cgroup/unified/jobs/unified",
			"/sys/fs/cgroup/unified"},
		{"cgroup-namespace", SD_CGROUP_CPU, 0, 2, "/sys/fs/my cgroup/inner",
			"/sys/fs/my cgroup"},
		{"cgroup-garbage", SD_CGROUP_CPU, 0, 2, "/sys/fs/cgroup/a/b", "/sys/fs/cgroup"},
		{"cgroup-outside", SD_CGROUP_CPU, -ENOENT, 0, "", ""},
		{"cgroup-none", SD_CGROUP_CPU, -ENOENT, 0, "", ""},
		{"no-such-tree", SD_CGROUP_CPU, -ENOENT, 0, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char root[256], expected[1024];
		struct sd_cgroup cg;

		snprintf(root, sizeof root, TREES "%s", rows[i].tree);
		assert_int_equal(sd_cgroup_find(root, 0, rows[i].controller, &cg), rows[i].rc);
		assert_int_equal(cg.version, rows[i].version);
		if (rows[i].rc) {
			assert_string_equal(cg.path, "");
			continue;
		}
		snprintf(expected, sizeof expected, "%s%s", root, rows[i].path);
		assert_string_equal(cg.path, expected);
		assert_int_equal(cg.top, strlen(root) + strlen(rows[i].top));
	}
}

static void the_quota_is_the_tightest_on_the_way_to_the_root(void **state)
{
	static const struct {
		const char *tree;
		enum sd_status status;
		double cpus;
	} rows[] = {
		{"cgroup-v2", SD_STATUS_OK, 1.5}, /* the slice's, not the service's 4 */
		{"cgroup-v1", SD_STATUS_OK, 2.5},
		{"cgroup-hybrid", SD_STATUS_OK, 1.5}, /* version 1's, not the other tree's 0.1 */
		{"cgroup-namespace", SD_STATUS_OK, 0.5},
		{"cgroup-max", SD_STATUS_ABSENT, 0},
		{"cgroup-garbage", SD_STATUS_UNSUPPORTED, 0},
		{"cgroup-halfgarbage", SD_STATUS_OK, 3},
		{"cgroup-outside", SD_STATUS_ABSENT, 0},
		{"cgroup-none", SD_STATUS_ABSENT, 0},
		{"no-such-tree", SD_STATUS_ABSENT, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char root[256];
		struct sd_value quota;

		snprintf(root, sizeof root, TREES "%s", rows[i].tree);
		quota = sd_cgroup_quota(root, 0);
		assert_int_equal(quota.status, rows[i].status);
		if (sd_has(quota))
			assert_true(quota.value == rows[i].cpus);
	}
}

static void going_up_ends_at_the_mount_point(void **state)
{
	struct sd_cgroup cg;

	(void)state;
	assert_int_equal(sd_cgroup_find(TREES "cgroup-v2", 0, SD_CGROUP_CPU, &cg), 0);
	assert_int_equal(sd_cgroup_up(&cg), 0);
	assert_int_equal(sd_cgroup_up(&cg), 0);
	assert_string_equal(cg.path, TREES "cgroup-v2/sys/fs/cgroup/app.slice");
	assert_int_equal(sd_cgroup_up(&cg), 0);
	assert_int_equal(sd_cgroup_up(&cg), -ENOENT);
	assert_string_equal(cg.path, TREES "cgroup-v2/sys/fs/cgroup");
}

static void a_file_longer_than_the_buffer_is_cut(void **state)
{
	struct sd_cgroup cg;
	char small[4], whole[64];

	(void)state;
	assert_int_equal(sd_cgroup_find(TREES "cgroup-namespace", 0, SD_CGROUP_CPU, &cg), 0);
	assert_int_equal(sd_cgroup_read(&cg, "cpu.max", whole, sizeof whole), 0);
	assert_string_equal(whole, "90000 100000");
	assert_int_equal(sd_cgroup_read(&cg, "cpu.max", small, sizeof small), 0);
	assert_string_equal(small, "900");
	assert_int_equal(sd_cgroup_read(&cg, "cpu.stat", whole, sizeof whole), -ENOENT);
	assert_string_equal(whole, "");
	assert_int_equal(sd_textfile_read(NULL, "/", whole, sizeof whole), -EISDIR);
}

static void a_root_too_long_for_a_path_is_an_error_and_not_a_cut_path(void **state)
{
	static char root[SD_CGROUP_PATH + 64];
	struct sd_cgroup cg;

	(void)state;
	memset(root, 'x', sizeof root - 1);
	assert_int_equal(sd_cgroup_find(root, 0, SD_CGROUP_CPU, &cg), -ENAMETOOLONG);
	assert_int_equal(sd_cgroup_quota(root, 0).status, SD_STATUS_UNSUPPORTED);
}

static void this_process_is_found_by_its_id_as_by_self(void **state)
{
	struct sd_cgroup self, pid;
	const int rc = sd_cgroup_find("", 0, SD_CGROUP_CPU, &self);

	(void)state;
	assert_int_equal(sd_cgroup_find(NULL, getpid(), SD_CGROUP_CPU, &pid), rc);
	assert_string_equal(self.path, pid.path);
	assert_int_equal(self.top, pid.top);
}

static void put(const char *folder, const char *file, const char *text)
{
	char path[SD_CGROUP_PATH + 64];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, file);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* On the real kernel: a child of our own cgroup with half a CPU. */
static void the_kernel_s_own_quota_is_read(void **state)
{
	char folder[SD_CGROUP_PATH + 32], file[SD_CGROUP_PATH + 64], pid_text[32];
	struct sd_cgroup cg = {0};
	struct sd_value quota;
	int rc = sd_cgroup_find(NULL, 0, SD_CGROUP_CPU, &cg);
	pid_t pid;

	(void)state;
	snprintf(folder, sizeof folder, "%s/sd-test-%ld", cg.path, (long)getpid());
	if (!rc)
		rc = mkdir(folder, 0755) ? -errno : 0;
	snprintf(file, sizeof file, "%s/%s", folder,
		cg.version == 1 ? "cpu.cfs_quota_us" : "cpu.max");
	if (!rc && access(file, W_OK) != 0) {
		rc = -errno;
		rmdir(folder);
	}
	if (rc) {
		fprintf(stderr,
			"SKIP: the_kernel_s_own_quota_is_read: no cgroup with a CPU quota may be "
			"made here: %s\n",
			strerror(-rc));
		skip();
	}
	if (cg.version == 1)
		put(folder, "cpu.cfs_period_us", "50000");
	put(folder, strrchr(file, '/') + 1, cg.version == 1 ? "25000" : "25000 50000");
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	snprintf(pid_text, sizeof pid_text, "%ld", (long)pid);
	put(folder, "cgroup.procs", pid_text);
	quota = sd_cgroup_quota(NULL, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 100 && rmdir(folder) != 0; i++)
		usleep(1000);
	assert_int_equal(quota.status, SD_STATUS_OK);
	/* a limit further up may be tighter still */
	assert_true(quota.value > 0 && quota.value <= 0.5);
	assert_int_equal(access(folder, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_is_found_through_the_mount_that_shows_it),
		cmocka_unit_test(the_quota_is_the_tightest_on_the_way_to_the_root),
		cmocka_unit_test(going_up_ends_at_the_mount_point),
		cmocka_unit_test(a_file_longer_than_the_buffer_is_cut),
		cmocka_unit_test(a_root_too_long_for_a_path_is_an_error_and_not_a_cut_path),
		cmocka_unit_test(this_process_is_found_by_its_id_as_by_self),
		cmocka_unit_test(the_kernel_s_own_quota_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
