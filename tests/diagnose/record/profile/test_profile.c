#include "profile/profile_file.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keeps the last message. */
static void remember(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 1024, "%s", text);
}

static struct sd_profile make(void)
{
	struct sd_profile p = {.tool_version = "9.9",
		.key = {"node1", "A CPU", "6.1", "0123456789abcdef"},
		.start = 1700000000.5,
		.seconds = 17.25,
		.quick = 1,
		.granted = 2,
		.visible_llc = SD_OK(33554432),
		.quiet = {.steal = SD_OK(0.001), .psi_cpu = SD_NOT(DENIED)},
		.states = {.n = 2, .line = {55e-9, 250e-9}, .seen = {10, 20}}};
	struct sd_bench_row row = {.kernel = "ceiling",
		.variant = "op=triad stores=nt bytes=counted",
		.cores = 2,
		.cpus = "0-1",
		.parameter = 1e9,
		.parameter_unit = "B",
		.unit = "GB/s",
		.n = 5,
		.dropped = 2,
		.median = 46.1,
		.q1 = 45.9,
		.q3 = 46.25,
		.low = 45,
		.high = 47,
		.status = SD_STATUS_OK};

	assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	row.state = 1;
	row.median = 78.2;
	row.q1 = 78;
	row.q3 = 79;
	row.low = 77;
	row.high = 80;
	assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	row = (struct sd_bench_row){.kernel = "latency",
		.variant = "level=DRAM pages=4KiB",
		.cores = 1,
		.cpus = "0",
		.parameter_unit = "B",
		.unit = "ns",
		.status = SD_STATUS_UNSUPPORTED,
		.why = "not enough memory, \"really\""};
	assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	sd_profile_count(&p);
	return p;
}

static char *encode(const struct sd_profile *p, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	assert_non_null(f);
	assert_int_equal(sd_profile_encode(f, p), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void reading_and_writing_again_gives_the_same_bytes(void **state)
{
	struct sd_profile p = make(), q;
	size_t n, m;
	char *text = encode(&p, &n), *again, message[1024] = "";
	const struct sd_sink sink = {remember, message};

	(void)state;
	assert_int_equal(sd_profile_parse(text, n, "p.json", &q, &sink), 0);
	assert_string_equal(message, "");
	again = encode(&q, &m);
	assert_int_equal(n, m);
	assert_memory_equal(text, again, n);
	assert_int_equal(q.rows.n, 3);
	assert_true(q.rows.row[0].median > 46 && q.rows.row[0].median < 46.2);
	assert_int_equal(q.rows.row[2].status, SD_STATUS_UNSUPPORTED);
	assert_string_equal(q.rows.row[2].why, p.rows.row[2].why);
	assert_int_equal(q.quiet.psi_cpu.status, SD_STATUS_DENIED);
	assert_null(sd_profile_differs(&p.key, &q.key));
	sd_profile_free(&p);
	sd_profile_free(&q);
	sd_profile_free(&q);
	free(text);
	free(again);
}

/* What was refused as noisy keeps that name and its reason, and never becomes the number 0. */
static void a_row_refused_as_noisy_has_no_number(void **state)
{
	struct sd_profile p = make(), q;
	struct sd_bench_row *const refused = &p.rows.row[2];
	size_t n;
	char *text;

	(void)state;
	refused->status = SD_STATUS_NOISY;
	text = encode(&p, &n);
	assert_int_equal(sd_profile_parse(text, n, "p.json", &q, NULL), 0);
	assert_int_equal(q.rows.row[2].status, SD_STATUS_NOISY);
	assert_int_equal(sd_bench_row_value(&q.rows.row[2]).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_profile_latency(&q, "DRAM", SD_OK(55e-9)).status, SD_STATUS_ABSENT);
	sd_profile_count(&q);
	assert_int_equal(q.quiet.noisy, 1);
	assert_non_null(strstr(text, "\"median\": null"));
	sd_profile_free(&p);
	sd_profile_free(&q);
	free(text);
}

/* Replaces the first `from` in the good file; what must the message name? */
static const struct {
	const char *from, *to, *says;
} damages[] = {
	{"scalediag-profile", "scalediag-record", "not a calibration"},
	{"\"schema\": 1", "\"schema\": 2", "schema"},
	{"\"schema\": 1", "\"schema\": true", "schema"},
	{"\"cores\": 2", "\"cores\": -2", "cores"},
	{"\"cores\": 2", "\"cores\": 1e9", "cores"},
	{"\"cores\": 2", "\"cores\": 1.5", "cores"},
	{"\"cores\": 2", "\"cores\": \"2\"", "cores"},
	{"\"state\": 1", "\"state\": 4", "state"},
	{"\"median\": 46.1", "\"median\": null", "median"},
	{"\"median\": 46.1", "\"median\": 99", "fall"},
	{"\"status\": \"ok\"", "\"status\": \"fine\"", "fine"},
	{"\"line_s\": 5", "\"line_s\": -5", "line_s"},
	{"\"why\": \"\"", "\"why\": \"\\u001b[31m\"", "control"},
	{"\"kernel\": \"ceiling\"", "\"kernel\": 7", "kernel"},
	{"\"steal\": 0.001", "\"steal\": \"ok\"", "steal"},
	{"\"steal\": 0.001", "\"steal\": 2", "steal"},
	{"\"rows\": [", "\"rows\": {", "damaged"},
	{"\"quick\": true", "\"quick\": 1", "quick"},
	{"\"seconds\": 17.25", "\"seconds\": 1e400", "damaged"},
	{"\"start\"", "\"begin\"", "start"},
};

static void every_damage_is_refused_with_its_place(void **state)
{
	struct sd_profile p = make();
	size_t n;
	char *text = encode(&p, &n);

	(void)state;
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		char message[1024] = "", bad[32768], *at = strstr(text, damages[i].from);
		const struct sd_sink sink = {remember, message};
		struct sd_profile q;

		if (!at)
			fail_msg("the file has no %s", damages[i].from);
		snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - text), text, damages[i].to,
			at + strlen(damages[i].from));
		if (sd_profile_parse(bad, strlen(bad), "p.json", &q, &sink) != -EINVAL)
			fail_msg("%s is taken", damages[i].to);
		assert_int_equal(q.rows.n, 0);
		if (!strstr(message, damages[i].says))
			fail_msg("%s: \"%s\"", damages[i].to, message);
	}
	sd_profile_free(&p);
	free(text);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	struct sd_profile p = make(), q;
	size_t n;
	char *text = encode(&p, &n);

	(void)state;
	for (size_t cut = 0; cut + 2 < n; cut += 7) {
		assert_int_equal(sd_profile_parse(text, cut, "p.json", &q, NULL), -EINVAL);
		assert_null(q.rows.row);
	}
	sd_profile_free(&p);
	free(text);
}

/* ---- the cache ------------------------------------------------------------------------------- */

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

static void the_statement_names_the_ceiling_of_each_state(void **state)
{
	struct sd_profile p = make();
	char text[512];

	(void)state;
	sd_profile_statement(0, &p, NULL, 2, p.start + 7200, text, sizeof text);
	assert_non_null(strstr(text, "2 h ago"));
	assert_non_null(strstr(text, "46.1 GB/s or 78.2 GB/s of memory bandwidth, depending"));
	p.rows.row[1].median = 6.1; /* no part of 46.1 */
	sd_profile_statement(0, &p, NULL, 2, p.start, text, sizeof text);
	assert_non_null(strstr(text, "46.1 GB/s or 6.1 GB/s"));
	p.rows.row[1].median = 46.1;
	sd_profile_statement(0, &p, NULL, 2, p.start, text, sizeof text);
	assert_non_null(strstr(text, ": 46.1 GB/s of memory bandwidth"));
	assert_null(strstr(text, "depending"));
	sd_profile_statement(-EACCES, NULL, NULL, 2, 0, text, sizeof text);
	assert_non_null(strstr(text, "may not look"));
	sd_profile_statement(-ENOENT, NULL, NULL, 2, 0, text, sizeof text);
	assert_non_null(strstr(text, "not calibrated"));
	sd_profile_free(&p);
}

static void a_ceiling_holds_for_its_state_and_count_only(void **state)
{
	struct sd_profile p = make();

	(void)state;
	assert_true(sd_profile_bandwidth(&p, 2, SD_OK(60e-9)).value < 47);
	assert_true(sd_profile_bandwidth(&p, 2, SD_OK(240e-9)).value > 78);
	assert_int_equal(sd_profile_bandwidth(&p, 2, SD_OK(1e-6)).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_profile_bandwidth(&p, 2, SD_NOT(ABSENT)).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_profile_bandwidth(&p, 3, SD_OK(60e-9)).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_profile_latency(&p, "DRAM", SD_OK(60e-9)).status, SD_STATUS_ABSENT);
	/* one state: what was measured holds, labelled or not */
	p.states.n = 1;
	assert_true(sd_profile_bandwidth(&p, 2, SD_NOT(ABSENT)).value < 47);
	sd_profile_free(&p);
}

static void a_page_walk_is_the_miss_of_the_outermost_level(void **state)
{
	static const char *const variant[] = {"pages=4KiB level=1 quantity=miss",
		"pages=4KiB level=2 quantity=miss", "pages=4KiB level=2 quantity=reach",
		"pages=2MiB level=3 quantity=miss"};
	struct sd_profile p = make();

	(void)state;
	assert_int_equal(sd_profile_walk(&p).status, SD_STATUS_ABSENT);
	for (size_t i = 0; i < 4; i++) {
		struct sd_bench_row row = {.kernel = "tlb",
			.parameter_unit = "",
			.unit = "ns",
			.n = 3,
			.median = 2.0 + (double)i,
			.status = SD_STATUS_OK};

		snprintf(row.variant, sizeof row.variant, "%s", variant[i]);
		assert_int_equal(sd_bench_rows_add(&p.rows, &row), 0);
	}
	assert_true(sd_profile_walk(&p).value == 3);
	sd_profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_walk_is_the_miss_of_the_outermost_level),
		cmocka_unit_test(reading_and_writing_again_gives_the_same_bytes),
		cmocka_unit_test(a_row_refused_as_noisy_has_no_number),
		cmocka_unit_test(every_damage_is_refused_with_its_place),
		cmocka_unit_test(a_file_cut_anywhere_is_refused),
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
		cmocka_unit_test(the_statement_names_the_ceiling_of_each_state),
		cmocka_unit_test(a_ceiling_holds_for_its_state_and_count_only),
	};

	return cmocka_run_group_tests_name("record_profile", tests, NULL, NULL);
}
