/* Cgroups by what users call them, in a made-up hierarchy. */
#include "attach/named_group.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fakeproc.h"

#define ONE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TWO "0123456789fedcba0123456789abcdef0123456789abcdef0123456789abcdef"

struct tree {
	char root[64], mounts[128];
};

static int setup(void **state)
{
	struct tree *const t = calloc(1, sizeof *t);

	if (!t)
		return -1;
	fake_make(t->root);
	snprintf(t->mounts, sizeof t->mounts, "%s/mounts", t->root);
	fake_write(t->root, "mounts",
		"22 1 0:20 / /proc rw - proc proc rw\n"
		"30 1 0:26 / %s/v1 rw shared:9 - cgroup cgroup rw,name=systemd\n"
		"31 1 0:27 / %s/v2 rw shared:9 - cgroup2 cgroup2 rw\n"
		"cut\n",
		t->root, t->root);
	fake_write(t->root, "v2/system.slice/nginx.service/cgroup.procs", "11\n");
	fake_write(t->root, "v2/system.slice/nginx.service/sub/cgroup.procs", "12\n13\n");
	fake_write(t->root, "v2/system.slice/docker-" ONE ".scope/cgroup.procs", "21\n");
	fake_write(t->root, "v1/system.slice/docker-" ONE ".scope/cgroup.procs", "21\n");
	fake_write(t->root, "v1/kubepods/pod1/" TWO "/cgroup.procs", "31\n");
	fake_write(t->root, "v1/old/cgroup.procs", "41\n");
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *const t = *state;

	fake_remove(t->root);
	free(t);
	return 0;
}

static void expect(
	const struct tree *t, enum sd_named_group_kind kind, const char *name, const char *folder)
{
	char *found = NULL, whole[512];
	const int rc = sd_named_group_find(t->mounts, kind, name, &found);

	if (rc)
		fail_msg("%s: %s", name, strerror(-rc));
	snprintf(whole, sizeof whole, "%s/%s", t->root, folder);
	assert_string_equal(found, whole);
	free(found);
}

static void a_group_has_many_names(void **state)
{
	const struct tree *const t = *state;
	char absolute[200];

	expect(t, SD_NAMED_GROUP_UNIT, "nginx", "v2/system.slice/nginx.service");
	expect(t, SD_NAMED_GROUP_UNIT, "nginx.service", "v2/system.slice/nginx.service");
	expect(t, SD_NAMED_GROUP_PATH, "/system.slice/nginx.service",
		"v2/system.slice/nginx.service");
	expect(t, SD_NAMED_GROUP_PATH, "old", "v1/old");
	snprintf(absolute, sizeof absolute, "%s/v1/old", t->root);
	expect(t, SD_NAMED_GROUP_PATH, absolute, "v1/old");
	/* the same container in two hierarchies is one */
	expect(t, SD_NAMED_GROUP_CONTAINER, "0123456789a", "v2/system.slice/docker-" ONE ".scope");
	expect(t, SD_NAMED_GROUP_CONTAINER, TWO, "v1/kubepods/pod1/" TWO);
}

static void what_is_not_there_or_not_one_is_said(void **state)
{
	static const struct {
		enum sd_named_group_kind kind;
		const char *name;
		int rc;
	} rows[] = {{SD_NAMED_GROUP_UNIT, "ngin", -ENOENT}, {SD_NAMED_GROUP_UNIT, "", -EINVAL},
		{SD_NAMED_GROUP_UNIT, "a/b", -EINVAL}, {SD_NAMED_GROUP_PATH, "/no", -ENOENT},
		{SD_NAMED_GROUP_PATH, "/../etc", -EINVAL},
		{SD_NAMED_GROUP_CONTAINER, "0123456789", -EEXIST},
		{SD_NAMED_GROUP_CONTAINER, "01234", -EINVAL},
		{SD_NAMED_GROUP_CONTAINER, "web", -EINVAL},
		{SD_NAMED_GROUP_CONTAINER, "ffffff", -ENOENT}};
	const struct tree *const t = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *found = NULL;

		assert_int_equal(sd_named_group_find(t->mounts, rows[i].kind, rows[i].name, &found),
			rows[i].rc);
		assert_null(found);
	}
}

static int add_up(void *ctx, pid_t pid)
{
	*(int *)ctx += (int)pid;
	return 0;
}

static int refuse(void *ctx, pid_t pid)
{
	(void)ctx;
	return pid == 12 ? -ENOMEM : 0;
}

static void groups_below_belong_to_it(void **state)
{
	const struct tree *const t = *state;
	char folder[200];
	int sum = 0;

	snprintf(folder, sizeof folder, "%s/v2/system.slice/nginx.service", t->root);
	assert_int_equal(sd_named_group_each(folder, add_up, &sum), 0);
	assert_int_equal(sum, 11 + 12 + 13);
	assert_int_equal(sd_named_group_each(folder, refuse, NULL), -ENOMEM);
	assert_int_equal(sd_named_group_each("/no/such/folder", refuse, NULL), 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_group_has_many_names),
		TEST(what_is_not_there_or_not_one_is_said),
		TEST(groups_below_belong_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
