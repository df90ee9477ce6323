#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/resume.h"
#include "run/record_path.h"

static char said[1024];

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	assert_true(strlen(text) < sizeof said);
	strcpy(said, text);
}
static const struct sd_sink sink = {.emit = keep};

/* A record of `app -n {n}` on CPUs 0 and 3 of a "model". */
static void make_record(struct sd_record *r)
{
	*r = (struct sd_record){.plan = {.min_repeats = 5, .seed = 9, .budget_s = 60}};
	snprintf(r->host.cpu, sizeof r->host.cpu, "model");
	assert_int_equal(sd_texts_add(&r->program.argv, "app"), 0);
	assert_int_equal(sd_texts_add(&r->program.argv, "-n{n}"), 0);
	assert_int_equal(sd_texts_add(&r->program.env, "A={n}"), 0);
	r->program.cwd = strdup("/somewhere");
	r->program.timeout_s = 7;
	r->program.no_env = 1;
	r->program.scaling = SD_SCALING_WEAK;
	r->plan.point = calloc(1, sizeof *r->plan.point);
	assert_non_null(r->plan.point);
	r->plan.n_point = 1;
	r->plan.point[0].cores = 2;
	assert_int_equal(sd_cpulist_add(&r->plan.point[0].cpus, 0), 0);
	assert_int_equal(sd_cpulist_add(&r->plan.point[0].cpus, 3), 0);
}

static struct sd_pu pu[] = {{.os = 0}, {.os = 2}, {.os = 3}};

static void program_and_settings_come_from_the_record(void **state)
{
	struct sd_topology t = {.pu = pu, .n_pu = 3, .cpu_model = "model"};
	struct sd_run_options a = {.options = {.resume = 1}};
	const struct sd_options *const o = &a.options;
	struct sd_record r;

	(void)state;
	make_record(&r);
	assert_int_equal(sd_resume_adopt(&r, &t, &a, &sink), 0);
	assert_int_equal(o->argc, 2);
	assert_string_equal(o->argv[0], "app");
	assert_string_equal(o->argv[1], "-n{n}");
	assert_null(o->argv[2]);
	assert_int_equal(o->n_env, 1);
	assert_string_equal(o->env[0], "A={n}");
	assert_string_equal(o->cwd, "/somewhere");
	assert_true(o->timeout_s == 7 && o->budget_s == 60 && o->no_env == 1);
	assert_int_equal(o->scaling, SD_SCALING_WEAK);
	assert_int_equal(o->seed, 9);
	sd_run_options_free(&a);
	sd_record_free(&r);
}

static void a_timeout_or_budget_given_now_replaces_the_record_s(void **state)
{
	struct sd_topology t = {.pu = pu, .n_pu = 3, .cpu_model = "model"};
	struct sd_run_options a = {.options = {.resume = 1, .timeout_s = 1, .budget_s = 2},
		.has_timeout = 1,
		.has_budget = 1};
	struct sd_record r;

	(void)state;
	make_record(&r);
	assert_int_equal(sd_resume_adopt(&r, &t, &a, &sink), 0);
	assert_true(a.options.timeout_s == 1 && r.program.timeout_s == 1);
	assert_true(a.options.budget_s == 2 && r.plan.budget_s == 2);
	sd_run_options_free(&a);
	sd_record_free(&r);
}

static void what_differs_is_refused_by_name(void **state)
{
	static char app[] = "app", n[] = "-n{n}", other[] = "other";
	static const struct {
		char *argv[4];
		const char *model;
		size_t n_pu;
		const char *says;
	} row[] = {
		{{app, n}, "model", 3, NULL},
		{{other, n}, "model", 3, "'other'"},
		{{app, other}, "model", 3, "'other'"},
		{{app}, "model", 3, "'-n{n}'"},
		{{app, n, other}, "model", 3, "'other'"},
		{{app, n}, "another model", 3, "'another model'"},
		{{NULL}, "another model", 3, "CPU model"},
		{{app, n}, "model", 2, "CPU 3"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_topology t = {.pu = pu, .n_pu = row[i].n_pu};
		struct sd_run_options a = {.options = {.resume = 1}};
		char *argv[4];
		struct sd_record r;

		memcpy(argv, row[i].argv, sizeof argv);
		a.options.argv = argv;
		while (argv[a.options.argc])
			a.options.argc++;
		snprintf(t.cpu_model, sizeof t.cpu_model, "%s", row[i].model);
		make_record(&r);
		said[0] = '\0';
		assert_int_equal(sd_resume_adopt(&r, &t, &a, &sink), row[i].says ? -22 : 0);
		if (row[i].says)
			assert_non_null(strstr(said, row[i].says));
		sd_run_options_free(&a);
		sd_record_free(&r);
	}
}

static void other_arguments_are_taken_when_told_and_the_record_says_so(void **state)
{
	static char app[] = "app", other[] = "-n8";
	struct sd_topology t = {.pu = pu, .n_pu = 3, .cpu_model = "model"};
	char *argv[] = {app, other, NULL};
	struct sd_run_options a = {
		.options = {.resume = 1, .argv = argv, .argc = 2}, .resume_anyway = 1};
	struct sd_record r;

	(void)state;
	make_record(&r);
	assert_int_equal(sd_resume_adopt(&r, &t, &a, &sink), 0);
	assert_int_equal(r.program.argv.n, 2);
	assert_string_equal(r.program.argv.text[1], "-n8");
	assert_string_equal(a.options.argv[1], "-n8");
	assert_int_equal(r.warnings.n, 1);
	assert_non_null(strstr(r.warnings.text[0], "mixes two measurements"));
	sd_run_options_free(&a);
	sd_record_free(&r);
}

static void samples_are_taken_as_the_record_s_runs_had_them(void **state)
{
	struct sd_topology t = {.pu = pu, .n_pu = 3, .cpu_model = "model"};

	(void)state;
	for (int none = 0; none < 2; none++) {
		struct sd_run_options a = {.options = {.resume = 1}};
		struct sd_record r;

		make_record(&r);
		r.plan.no_samples = none;
		assert_int_equal(sd_resume_adopt(&r, &t, &a, &sink), 0);
		assert_int_equal(a.options.no_samples, none);
		sd_run_options_free(&a);
		sd_record_free(&r);
	}
}

/* Another build is refused unless told; what is not known is said, and known from then on. */
static void a_rebuilt_program_is_refused_unless_told(void **state)
{
	static const struct {
		struct sd_value bytes;
		int anyway, rc, warned;
		const char *says;
	} row[] = {
		{{100, SD_STATUS_OK}, 0, 0, 0, NULL},
		{{100, SD_STATUS_OK}, 1, 0, 0, NULL},
		{{99, SD_STATUS_OK}, 0, -22, 0, "--resume-anyway"},
		{{99, SD_STATUS_OK}, 1, 0, 1, "rebuilt"},
		{{0, SD_STATUS_ABSENT}, 0, 0, 0, "not known"},
	};
	const struct sd_program_file now = {.bytes = SD_OK(100), .mtime = SD_OK(1.7e9)};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_run_options a = {
			.options = {.resume = 1}, .resume_anyway = row[i].anyway};
		struct sd_record r;

		make_record(&r);
		r.program.file = now;
		r.program.file.bytes = row[i].bytes;
		said[0] = '\0';
		assert_int_equal(sd_resume_check_build(&r, &now, &a, &sink), row[i].rc);
		assert_int_equal(r.warnings.n, row[i].warned);
		if (row[i].says)
			assert_non_null(strstr(said, row[i].says));
		else
			assert_string_equal(said, "");
		assert_true(row[i].rc || r.program.file.bytes.value == 100);
		sd_record_free(&r);
	}
}

static void a_record_without_a_program_cannot_be_gone_on_with(void **state)
{
	struct sd_topology t = {.pu = pu, .n_pu = 3, .cpu_model = "model"};
	struct sd_run_options a = {.options = {.resume = 1}};
	struct sd_record r = {0};

	(void)state;
	assert_int_equal(sd_resume_adopt(&r, &t, &a, &sink), -22);
	assert_non_null(strstr(said, "no program"));
	sd_run_options_free(&a);
}

static void a_record_is_named_after_the_program_s_last_part(void **state)
{
	static const char *const row[][2] = {
		{"app", "app.scalediag.json"}, {"./app", "app.scalediag.json"},
		{"/usr/bin/app", "app.scalediag.json"}, {"dir/app-{n}", "app-{n}.scalediag.json"},
		{"dir/", "dir_.scalediag.json"}, {"/", "_.scalediag.json"},
		{".", "_.scalediag.json"}, /* no hidden file */
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *const name = sd_record_path_name(row[i][0]);

		assert_non_null(name);
		assert_string_equal(name, row[i][1]);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_and_settings_come_from_the_record),
		cmocka_unit_test(a_timeout_or_budget_given_now_replaces_the_record_s),
		cmocka_unit_test(what_differs_is_refused_by_name),
		cmocka_unit_test(other_arguments_are_taken_when_told_and_the_record_says_so),
		cmocka_unit_test(samples_are_taken_as_the_record_s_runs_had_them),
		cmocka_unit_test(a_rebuilt_program_is_refused_unless_told),
		cmocka_unit_test(a_record_without_a_program_cannot_be_gone_on_with),
		cmocka_unit_test(a_record_is_named_after_the_program_s_last_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
