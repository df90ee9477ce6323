#include <math.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <errno.h>
#include <stdlib.h>

#include "diagnose/record/profile/made_profile.h"

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

/* A row refused as noisy keeps that name and its reason, and never becomes the number 0. */
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
		cmocka_unit_test(the_statement_names_the_ceiling_of_each_state),
		cmocka_unit_test(a_ceiling_holds_for_its_state_and_count_only),
	};

	return cmocka_run_group_tests_name("record_profile", tests, NULL, NULL);
}
