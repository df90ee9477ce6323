#include "harness/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void base_pages_are_never_huge(void **state)
{
	struct sd_arena a;
	char why[96];

	(void)state;
	assert_int_equal(sd_arena_map(&a, 8 << 20, SD_PAGES_BASE), 0);
	assert_true(a.bytes >= 8 << 20);
	sd_arena_touch(a.base, a.bytes);
	assert_int_equal(sd_arena_verify(&a, why, sizeof why), 0);
	assert_string_equal(why, "");
	sd_arena_free(&a);
	sd_arena_free(&a);
}

static void huge_pages_are_verified_in_smaps(void **state)
{
	struct sd_arena a;
	char why[96];
	int rc;

	(void)state;
	rc = sd_arena_map(&a, 8 << 20, SD_PAGES_HUGE);
	if (rc == -ENOTSUP) {
		fprintf(stderr, "SKIP: huge_pages_are_verified_in_smaps: no huge pages here\n");
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal((uintptr_t)a.base % sd_pages_bytes(SD_PAGES_HUGE), 0);
	sd_arena_touch(a.base, a.bytes);
	/* they may have been refused for want of memory: then verify has to say so */
	if (sd_arena_huge_share(a.base, a.bytes).value >= 0.95)
		assert_int_equal(sd_arena_verify(&a, why, sizeof why), 0);
	else
		assert_int_equal(sd_arena_verify(&a, why, sizeof why), -ENOTSUP);
	sd_arena_free(&a);
}

static void memory_that_only_claims_to_be_huge_is_refused(void **state)
{
	struct sd_arena a;
	char why[96];

	(void)state;
	assert_int_equal(sd_arena_map(&a, 4 << 20, SD_PAGES_BASE), 0);
	sd_arena_touch(a.base, a.bytes);
	a.pages = SD_PAGES_HUGE;
	assert_int_equal(sd_arena_verify(&a, why, sizeof why), -ENOTSUP);
	assert_non_null(strstr(why, "only 0 %"));
	sd_arena_free(&a);
}

static void untouched_memory_has_no_share(void **state)
{
	struct sd_arena a;

	(void)state;
	assert_int_equal(sd_arena_map(&a, 4 << 20, SD_PAGES_BASE), 0);
	assert_int_equal(sd_arena_huge_share(a.base, a.bytes).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_arena_verify(&a, NULL, 0), -ENODATA);
	sd_arena_free(&a);
}

static void more_memory_than_addresses_is_refused(void **state)
{
	struct sd_arena a;

	(void)state;
	assert_int_equal(sd_arena_map(&a, SIZE_MAX / 2, SD_PAGES_BASE), -ENOMEM);
	assert_int_equal(sd_arena_map(&a, (size_t)1 << 62, SD_PAGES_BASE), -ENOMEM);
	assert_int_equal(sd_arena_map(&a, 0, SD_PAGES_BASE), -ENOMEM);
	assert_null(a.map);
}

static void put(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof full, "%s%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void drop(const char *root, const char *path)
{
	char full[512];

	snprintf(full, sizeof full, "%s%s", root, path);
	assert_int_equal(remove(full), 0);
}

/* In a child, since limits only fall. */
static void what_ulimit_leaves_is_all_there_is(void **state)
{
	const uint64_t before = sd_available_memory_arena(NULL);
	int status;
	pid_t pid;

	(void)state;
	if (before < 2ull << 30) {
		fprintf(stderr, "SKIP: %s: little memory here\n", __func__);
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct rlimit limit = {0};
		char line[64] = "";
		FILE *f = fopen("/proc/self/statm", "r");
		unsigned long long mapped = 0;

		if (f && fgets(line, sizeof line, f))
			mapped = strtoull(line, NULL, 10) *
				 (unsigned long long)sysconf(_SC_PAGESIZE);
		if (f)
			fclose(f);
		limit.rlim_cur = limit.rlim_max = mapped + ((rlim_t)512 << 20);
		if (setrlimit(RLIMIT_AS, &limit) != 0)
			_exit(1);
		/* what reading took is mapped as well */
		mapped = sd_available_memory_arena(NULL);
		_exit(mapped > (500u << 20) && mapped <= (512u << 20) ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void available_memory_is_the_least_of_machine_and_groups(void **state)
{
	static const char *const file[] = {"/proc/meminfo", "/proc/self/cgroup",
		"/sys/fs/cgroup/a/b/memory.max", "/sys/fs/cgroup/a/b/memory.current",
		"/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/a/memory.current"};
	static const char *const folder[] = {"/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a",
		"/sys/fs/cgroup", "/sys/fs", "/sys", "/proc/self", "/proc", ""};
	char root[] = "/tmp/sd-available-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(sd_available_memory_arena(root), 0);
	put(root, file[0], "MemTotal: 9000 kB\nMemAvailable:   8000 kB\n");
	assert_int_equal(sd_available_memory_arena(root), 8000 * 1024);
	put(root, file[1], "0::/a/b\n");
	assert_int_equal(sd_available_memory_arena(root), 8000 * 1024);
	put(root, file[2], "max\n");
	put(root, file[3], "4096\n");
	put(root, file[4], "1048576\n");
	put(root, file[5], "40960\n");
	assert_int_equal(sd_available_memory_arena(root), 1048576 - 40960);
	put(root, file[5], "2048576\n");
	assert_int_equal(sd_available_memory_arena(root), 0);
	put(root, file[0], "MemAvailable: x kB\n");
	assert_int_equal(sd_available_memory_arena(root), 0);
	for (size_t i = 0; i < sizeof file / sizeof *file; i++)
		drop(root, file[i]);
	for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
		drop(root, folder[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_pages_are_never_huge),
		cmocka_unit_test(huge_pages_are_verified_in_smaps),
		cmocka_unit_test(memory_that_only_claims_to_be_huge_is_refused),
		cmocka_unit_test(untouched_memory_has_no_share),
		cmocka_unit_test(more_memory_than_addresses_is_refused),
		cmocka_unit_test(what_ulimit_leaves_is_all_there_is),
		cmocka_unit_test(available_memory_is_the_least_of_machine_and_groups),
	};

	return cmocka_run_group_tests_name("microbench_arena", tests, NULL, NULL);
}
