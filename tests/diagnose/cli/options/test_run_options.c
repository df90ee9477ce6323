#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "options/experiment_list.h"
#include "options/run_options.h"

#define WORDS 16

static char said[1024];
static unsigned n_said;

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	assert_int_equal(level, SD_LEVEL_ERROR);
	assert_true(strlen(text) < sizeof said);
	strcpy(said, text);
	n_said++;
}
static const struct sd_sink sink = {.emit = keep};

/* Parses the words after the command's name; *words must outlive *out. */
static int parse(const char *const *words, char **argv, struct sd_run_options *out)
{
	static char name[] = "scalediag";
	int argc = 1;

	argv[0] = name;
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	argv[argc] = NULL;
	said[0] = '\0';
	n_said = 0;
	return sd_run_options_parse(argc, argv, out, &sink);
}

static void the_program_s_own_options_are_left_alone(void **state)
{
	static const struct {
		const char *words[WORDS];
		const char *program[WORDS];
	} row[] = {
		{{"./app"}, {"./app"}},
		{{"./app", "--json", "-o", "x"}, {"./app", "--json", "-o", "x"}},
		{{"--weak", "app", "--", "--cores", "0"}, {"app", "--", "--cores", "0"}},
		{{"--", "app", "-h"}, {"app", "-h"}},
		{{"--weak", "--", "--app", "x"}, {"--app", "x"}},
		{{"-o", "r", "app", "-"}, {"app", "-"}},
		{{"app", ""}, {"app", ""}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *argv[WORDS + 2];
		struct sd_run_options a;
		size_t n = 0;

		assert_int_equal(parse(row[i].words, argv, &a), 0);
		assert_int_equal(a.options.json, 0);
		for (; row[i].program[n]; n++)
			assert_string_equal(a.options.argv[n], row[i].program[n]);
		assert_int_equal(a.options.argc, n);
		assert_null(a.options.argv[n]);
		sd_run_options_free(&a);
	}
}

static void every_option_reaches_its_field(void **state)
{
	static const char *const words[] = {"--cores=1,2", "--weak", "--place", "spread",
		"--repeats=7", "--budget", "1.5", "--timeout=2e1", "--env", "A={n}",
		"--env=_B2=", "--no-env", "--cwd=/", "--prepare", "sync now", "--rate",
		"x ([0-9]+)", NULL};
	static const char *const more[] = {"-o", "r.json", "--json", "--show-output",
		"--oversubscribe", "--seed=0", "--events=os", "--experiments=none", "app", NULL};
	char *argv[sizeof words / sizeof *words + sizeof more / sizeof *more + 1];
	const char *all[sizeof words / sizeof *words + sizeof more / sizeof *more];
	struct sd_run_options a;
	const struct sd_options *const o = &a.options;
	const size_t n = sizeof words / sizeof *words - 1;

	(void)state;
	memcpy(all, words, sizeof words);
	memcpy(all + n, more, sizeof more);
	assert_int_equal(parse(all, argv, &a), 0);
	assert_int_equal(o->cores, SD_CORES_LIST);
	assert_int_equal(o->n_count, 2);
	assert_int_equal(o->scaling, SD_SCALING_WEAK);
	assert_int_equal(o->placement, SD_PLACEMENT_SPREAD);
	assert_int_equal(o->repeats, 7);
	assert_true(o->budget_s == 1.5 && a.has_budget);
	assert_true(o->timeout_s == 20 && a.has_timeout);
	assert_int_equal(o->n_env, 2);
	assert_string_equal(o->env[0], "A={n}");
	assert_string_equal(o->env[1], "_B2=");
	assert_true(o->no_env && o->json && o->show_output && o->oversubscribe);
	assert_string_equal(o->cwd, "/");
	assert_string_equal(o->prepare, "sync now");
	assert_string_equal(o->rate, "x ([0-9]+)");
	assert_string_equal(o->record, "r.json");
	assert_int_equal(o->seed, 0);
	assert_true(!o->dry_run && !o->resume && !a.asked);
	sd_run_options_free(&a);
}

static void without_options_the_counts_are_powers_and_the_rest_is_automatic(void **state)
{
	static const char *const words[] = {"app", NULL};
	char *argv[4];
	struct sd_run_options a;

	(void)state;
	assert_int_equal(parse(words, argv, &a), 0);
	assert_int_equal(a.options.cores, SD_CORES_POWERS);
	assert_int_equal(a.options.repeats, 0);
	assert_true(a.options.budget_s == 0 && a.options.timeout_s == 0);
	assert_null(a.options.record);
	sd_run_options_free(&a);
}

static void what_is_simulated_is_one_option_and_asks_for_it(void **state)
{
	static const char *const words[] = {"--sim", "repeats=3,from=@f,for=1.5", "app", NULL};
	static const char *const machine[] = {"--machine=skylake-sp", "app", NULL};
	static const char *const model[] = {"--machine=core2-quad", "--events=model", "app", NULL};
	char *argv[8];
	struct sd_run_options a;

	(void)state;
	assert_int_equal(parse(words, argv, &a), 0);
	assert_int_equal(a.options.events, SD_EVENTS_SIM);
	assert_int_equal(a.options.sim_repeats, 3);
	assert_string_equal(a.options.sim_from, "@f");
	assert_string_equal(a.options.sim_for, "1.5");
	sd_run_options_free(&a);
	assert_int_equal(parse(machine, argv, &a), 0);
	assert_int_equal(a.options.events, SD_EVENTS_SIM);
	sd_run_options_free(&a);
	assert_int_equal(parse(model, argv, &a), 0);
	assert_int_equal(a.options.events, SD_EVENTS_MODEL);
	sd_run_options_free(&a);
}

static void a_quick_look_is_two_runs_of_the_ends_and_no_experiments(void **state)
{
	static const char *const words[] = {"--quick", "--experiments=auto", "app", NULL},
				 *const counts[] = {"--cores=powers", "--quick", "app", NULL};
	char *argv[5];
	struct sd_run_options a;

	(void)state;
	assert_int_equal(parse(words, argv, &a), 0);
	assert_true(a.options.quick);
	assert_int_equal(a.options.repeats, 2);
	assert_int_equal(a.options.cores, SD_CORES_ENDS);
	assert_int_equal(a.options.experiments, SD_EXPERIMENTS_NONE);
	sd_run_options_free(&a);
	assert_int_equal(parse(counts, argv, &a), 0);
	assert_int_equal(a.options.cores, SD_CORES_POWERS);
	sd_run_options_free(&a);
}

static void a_time_has_a_unit_or_is_seconds(void **state)
{
	struct {
		char text[8];
		double seconds;
	} row[] = {{"90", 90}, {"1.5m", 90}, {"2h", 7200}, {"500ms", .5}, {"3s", 3}, {"5min", 300}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char run[] = "run", budget[] = "--budget", app[] = "app";
		char *args[] = {run, budget, row[i].text, app, NULL};
		struct sd_run_options a;

		assert_int_equal(sd_run_options_parse(4, args, &a, NULL), 0);
		assert_true(fabs(a.options.budget_s - row[i].seconds) < 1e-9);
		sd_run_options_free(&a);
	}
}

static void a_bad_value_is_one_line_with_option_value_and_what_is_allowed(void **state)
{
	static const struct {
		const char *words[4];
		const char *says[3];
	} row[] = {
		{{"--cores", "0", "app"}, {"--cores '0'", "from 1 to 65536"}},
		{{"--place", "wide", "app"}, {"--place 'wide'", "compact, spread or smt"}},
		{{"--repeats", "0", "app"}, {"--repeats '0'", "from 1 to 10000"}},
		{{"--repeats", "-3", "app"}, {"--repeats '-3'", "from 1 to 10000"}},
		{{"--repeats", "3.5", "app"}, {"--repeats '3.5'", "whole number"}},
		{{"--budget", "0", "app"}, {"--budget '0'", "a time from"}},
		{{"--budget", "1x", "app"}, {"--budget '1x'", "a time from"}},
		{{"--budget", "nan", "app"}, {"--budget 'nan'", "a time from"}},
		{{"--timeout", "inf", "app"}, {"--timeout 'inf'", "a time from"}},
		{{"--timeout", "", "app"}, {"--timeout ''", "a time from"}},
		{{"--seed", "4294967296", "app"}, {"--seed", "to 4294967295"}},
		{{"--env", "NAME", "app"}, {"--env 'NAME'", "NAME=VALUE"}},
		{{"--env", "=x", "app"}, {"--env '=x'", "NAME=VALUE"}},
		{{"--env", "1A=x", "app"}, {"--env '1A=x'", "digit"}},
		{{"--env", "A B=x", "app"}, {"--env 'A B=x'", "NAME=VALUE"}},
		{{"--cwd", "/nowhere", "app"}, {"--cwd '/nowhere'", "No such file"}},
		{{"--cwd", "/dev/null", "app"}, {"--cwd '/dev/null'", "folder"}},
		{{"--prepare", " ", "app"}, {"--prepare ' '", "command"}},
		{{"--rate", "(", "app"}, {"--rate '('"}},
		{{"--rate", "[0-9]+", "app"}, {"--rate '[0-9]+'", "group"}},
		{{"--output", "", "app"}, {"--output ''", "file"}},
		{{"-o", "folder/", "app"}, {"--output 'folder/'", "file"}},
		{{"--events", "pmu", "app"}, {"--events 'pmu'", "auto, hw, all, os, sim or model"}},
		{{"--events=os", "--machine", "host", "app"},
			{"--machine", "--events hw, all or os"}},
		{{"--sim", "from=@", "app"}, {"--sim '@'", "from=", "name of a function"}},
		{{"--sim", "for=allow", "app"}, {"--sim 'allow'", "for=", "seconds"}},
		{{"--sim", "repeats=0", "app"}, {"--sim '0'", "repeats=", "1 to 1000"}},
		{{"--sim=repeats=3", "--events=hw", "app"}, {"--sim", "--events hw"}},
		{{"--sim", "for=1,from=soon", "app"}, {"--sim 'soon'", "from="}},
		{{"--sim", "", "app"}, {"--sim ''", "repeats=RUNS"}},
		{{"--sim", "for=1,", "app"}, {"--sim ''", "repeats=RUNS"}},
		{{"--sim", "from=@f,for=@g", "app"}, {"not both"}},
		{{"--multiplex", "--events", "os", "app"}, {"--multiplex", "--events os"}},
		{{"--resume", "r", "--multiplex"}, {"--multiplex", "--resume"}},
		{{"--experiments", "magic", "app"}, {"--experiments 'magic'", "replicas"}},
		{{"--experiments", "", "app"}, {"--experiments ''", "auto, none, all"}},
		{{"--resume", "r", "--weak"}, {"--weak", "--resume"}},
		{{"--resume", "r", "--samples", "none"}, {"--samples", "--resume"}},
		{{"--resume-anyway", "app"}, {"--resume-anyway", "--resume"}},
		{{"--quick", "--repeats=3", "app"}, {"--repeats", "--quick", "two runs"}},
		{{"--budget=9", "--quick", "app"}, {"--budget", "--quick"}},
		{{"--quick", "--experiments=padding", "app"}, {"--experiments", "--quick"}},
		{{"--quick", "--events=sim", "app"}, {"--events sim", "--quick"}},
		{{"--quick", "--events=all", "app"}, {"--events all", "--quick", "--multiplex"}},
		{{"--quick", "--events=model", "app"}, {"--events model", "--quick"}},
		{{"--resume", "r", "--quick"}, {"--quick", "--resume"}},
		{{"--json", "--dry-run", "app"}, {"--json", "--dry-run"}},
		{{"--"}, {"no program given"}},
		{{""}, {"name is empty"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *argv[8];
		struct sd_run_options a;

		assert_int_equal(parse(row[i].words, argv, &a), -22);
		assert_int_equal(n_said, 1);
		for (size_t j = 0; j < 3 && row[i].says[j]; j++)
			assert_non_null(strstr(said, row[i].says[j]));
		sd_run_options_free(&a);
	}
}

static void a_record_to_resume_needs_no_program(void **state)
{
	static const char *const words[] = {
		"--resume", "r.json", "--budget=9", "--json", "--timeout=3", NULL};
	char *argv[8];
	struct sd_run_options a;

	(void)state;
	assert_int_equal(parse(words, argv, &a), 0);
	assert_int_equal(a.options.resume, 1);
	assert_string_equal(a.options.record, "r.json");
	assert_int_equal(a.options.argc, 0);
	sd_run_options_free(&a);
}

static void help_needs_nothing_else(void **state)
{
	static const char *const help[] = {"--help", NULL}, *const version[] = {"-V", NULL};
	char *argv[4];
	struct sd_run_options a;

	(void)state;
	assert_int_equal(parse(help, argv, &a), 0);
	assert_int_equal(a.asked, SD_ASKED_HELP);
	sd_run_options_free(&a);
	assert_int_equal(parse(version, argv, &a), 0);
	assert_int_equal(a.asked, SD_ASKED_VERSION);
	sd_run_options_free(&a);
}

static void the_list_of_experiments_fits_a_terminal(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	sd_experiment_list_help(f);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "\n  software-pmu     "));
	for (const char *line = text; *line;) {
		const size_t n = strcspn(line, "\n");

		if (n > 80)
			fail_msg("%.*s", (int)n, line);
		line += n + (line[n] == '\n');
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_s_own_options_are_left_alone),
		cmocka_unit_test(every_option_reaches_its_field),
		cmocka_unit_test(without_options_the_counts_are_powers_and_the_rest_is_automatic),
		cmocka_unit_test(what_is_simulated_is_one_option_and_asks_for_it),
		cmocka_unit_test(a_quick_look_is_two_runs_of_the_ends_and_no_experiments),
		cmocka_unit_test(a_time_has_a_unit_or_is_seconds),
		cmocka_unit_test(a_bad_value_is_one_line_with_option_value_and_what_is_allowed),
		cmocka_unit_test(a_record_to_resume_needs_no_program),
		cmocka_unit_test(help_needs_nothing_else),
		cmocka_unit_test(the_list_of_experiments_fits_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
