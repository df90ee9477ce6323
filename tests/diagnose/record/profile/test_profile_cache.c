/*
 * The cache of calibrations: whose is found, kept and replaced.
 */
#include <math.h>
#include <errno.h>
#include <stdlib.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnose/record/profile/made_profile.h"

static char folder[64];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/sd-profile-XXXXXX");
	return mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0 ? 0 : -1;
}

static size_t files_in(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	for (const struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	if (d)
		closedir(d);
	return n;
}

static int teardown(void **state)
{
	char path[512], inner[128];
	DIR *d;

	(void)state;
	snprintf(inner, sizeof inner, "%s/scalediag", folder);
	d = opendir(inner);
	for (const struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "%s/%s", inner, e->d_name);
		remove(path);
	}
	if (d)
		closedir(d);
	remove(inner);
	remove(folder);
	return 0;
}

static void the_profile_of_this_machine_is_found_again(void **state)
{
	struct sd_profile p = make(), q;
	const char *differs;
	char *path;
	struct stat st;

	(void)state;
	assert_int_equal(sd_profile_load(&p.key, &q, &differs, NULL), -ENOENT);
	path = sd_profile_path(&p.key, 0, 1);
	assert_non_null(path);
	p.states.split[1][0] = 210e-9;
	p.states.split[1][1] = 310e-9;
	assert_int_equal(sd_profile_write(path, &p, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(sd_profile_load(&p.key, &q, &differs, NULL), 0);
	assert_null(differs);
	assert_int_equal(q.rows.n, 3);
	assert_true(q.states.split[0][0] <= 0);
	assert_true(q.states.split[1][0] > 209e-9 && q.states.split[1][1] > 309e-9);
	sd_profile_free(&q);
	sd_profile_free(&p);
	free(path);
}

static void a_quick_profile_stays_beside_a_full_one_and_steps_back(void **state)
{
	struct sd_profile p = make(), q;
	char *full = sd_profile_path(&p.key, 0, 1), *quick = sd_profile_path(&p.key, 1, 1);
	const char *differs;

	(void)state;
	assert_non_null(full);
	assert_non_null(quick);
	unlink(full);
	p.quick = 1;
	assert_int_equal(sd_profile_write(quick, &p, NULL), 0);
	assert_int_equal(sd_profile_load(&p.key, &q, &differs, NULL), 0);
	assert_true(q.quick);
	sd_profile_free(&q);
	p.quick = 0;
	assert_int_equal(sd_profile_write(full, &p, NULL), 0);
	assert_int_equal(sd_profile_load(&p.key, &q, &differs, NULL), 0);
	assert_false(q.quick);
	sd_profile_free(&q);
	/* a full one of another kernel is no reason to have none */
	p.key.kernel[0] = '!';
	assert_int_equal(sd_profile_write(full, &p, NULL), 0);
	sd_profile_free(&p);
	p = make();
	assert_int_equal(sd_profile_load(&p.key, &q, &differs, NULL), 0);
	assert_true(q.quick);
	assert_null(differs);
	sd_profile_free(&q);
	sd_profile_free(&p);
	unlink(full);
	unlink(quick);
	free(full);
	free(quick);
}

static void a_profile_of_another_machine_is_not_used(void **state)
{
	static const struct {
		size_t offset;
		const char *differs;
	} rows[] = {
		{offsetof(struct sd_profile_key, cpu), "CPU model"},
		{offsetof(struct sd_profile_key, kernel), "kernel"},
	};
	struct sd_profile p = make(), q;
	char *path = sd_profile_path(&p.key, 0, 1);

	(void)state;
	assert_non_null(path);
	for (size_t i = 0; i < 2; i++) {
		const struct sd_profile_key here = p.key;
		const char *differs = NULL;
		char text[512];

		((char *)&p.key)[rows[i].offset] = '!';
		assert_int_equal(sd_profile_write(path, &p, NULL), 0);
		p.key = here;
		assert_int_equal(sd_profile_load(&here, &q, &differs, NULL), -ESTALE);
		assert_string_equal(differs, rows[i].differs);
		sd_profile_statement(-ESTALE, NULL, differs, 2, 0, text, sizeof text);
		assert_non_null(strstr(text, rows[i].differs));
		assert_non_null(strstr(text, "scalediag calibrate"));
	}
	sd_profile_free(&p);
	free(path);
}

/* An allocation with other CPUs of the node: its topology is another one, the machine is not. */
static void other_cpus_of_this_machine_find_its_profile(void **state)
{
	struct sd_profile p = make(), q;
	struct sd_profile_key here, mine;
	const char *differs;
	char *full, *quick, text[512];

	(void)state;
	snprintf(p.key.machine, sizeof p.key.machine, "00000000000000aa");
	here = mine = p.key;
	snprintf(here.topology, sizeof here.topology, "00000000000000bb");
	full = sd_profile_path(&p.key, 0, 1);
	quick = sd_profile_path(&p.key, 1, 1);
	p.quick = 1;
	p.start = 2e9;
	assert_int_equal(sd_profile_write(quick, &p, NULL), 0);
	assert_int_equal(sd_profile_load(&here, &q, &differs, NULL), 0);
	assert_string_equal(differs, SD_PROFILE_OTHER_CPUS);
	assert_int_equal(q.quick, 1);
	sd_profile_statement(0, &q, differs, 2, 2e9, text, sizeof text);
	assert_non_null(strstr(text, "with others of its CPUs granted"));
	sd_profile_free(&q);
	/* an older full one is better than a new quick one */
	p.quick = 0;
	p.start = 1e9;
	assert_int_equal(sd_profile_write(full, &p, NULL), 0);
	assert_int_equal(sd_profile_load(&here, &q, &differs, NULL), 0);
	assert_int_equal(q.quick, 0);
	sd_profile_free(&q);
	/* its own is better than either */
	assert_int_equal(sd_profile_load(&mine, &q, &differs, NULL), 0);
	assert_null(differs);
	sd_profile_free(&q);
	/* of another machine, or from before it was known which, it is none */
	snprintf(here.machine, sizeof here.machine, "00000000000000cc");
	assert_int_equal(sd_profile_load(&here, &q, &differs, NULL), -ENOENT);
	here.machine[0] = '\0';
	assert_int_equal(sd_profile_load(&here, &q, &differs, NULL), -ENOENT);
	/* another kernel is another machine's state */
	here = mine;
	snprintf(here.topology, sizeof here.topology, "00000000000000bb");
	here.kernel[0] = '!';
	assert_int_equal(sd_profile_load(&here, &q, &differs, NULL), -ENOENT);
	sd_profile_free(&p);
	free(full);
	free(quick);
}

static void a_full_disk_leaves_the_old_profile_and_nothing_else(void **state)
{
	struct sd_profile p = make(), q;
	char *path = sd_profile_path(&p.key, 0, 1), message[1024] = "", inner[128];
	const struct sd_sink sink = {remember, message};
	const struct rlimit small = {100, RLIM_INFINITY};
	struct rlimit before;
	const char *differs;

	(void)state;
	assert_int_equal(sd_profile_write(path, &p, NULL), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &small);
	p.seconds = 99;
	assert_int_equal(sd_profile_write(path, &p, &sink), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(message, "cannot write the profile"));
	snprintf(inner, sizeof inner, "%s/scalediag", folder);
	assert_int_equal(files_in(inner), 1);
	assert_int_equal(sd_profile_load(&p.key, &q, &differs, NULL), 0);
	assert_true(q.seconds < 18);
	sd_profile_free(&q);
	sd_profile_free(&p);
	free(path);
}

static void a_host_name_cannot_leave_the_cache_folder(void **state)
{
	struct sd_profile_key key = {"../../etc/x", "", "", "0123456789abcdef", ""};
	char *path = sd_profile_path(&key, 0, 0);

	(void)state;
	assert_non_null(path);
	assert_null(strstr(path, ".."));
	assert_memory_equal(path, folder, strlen(folder));
	free(path);
	/* a relative cache folder is ignored, as the XDG specification says */
	assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
	path = sd_profile_path(&key, 0, 0);
	if (path) {
		assert_int_equal(path[0], '/');
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_profile_of_this_machine_is_found_again, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_quick_profile_stays_beside_a_full_one_and_steps_back, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_profile_of_another_machine_is_not_used, setup, teardown),
		cmocka_unit_test_setup_teardown(
			other_cpus_of_this_machine_find_its_profile, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_full_disk_leaves_the_old_profile_and_nothing_else, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_host_name_cannot_leave_the_cache_folder, setup, teardown),
	};

	return cmocka_run_group_tests_name("record_profile", tests, NULL, NULL);
}
