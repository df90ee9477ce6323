/*
 * The environment of a run: the user's stays, and what scalediag sets is listed.
 */
#include "support/measure_fakes.h"
#include "launch/command_words.h"
#include "trial/trial.h"

static int lists(const struct sd_texts *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->text[i], text) == 0)
			return 1;
	return 0;
}

static int names(const struct sd_texts *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strncmp(t->text[i], name, strlen(name)) == 0 && t->text[i][strlen(name)] == '=')
			return 1;
	return 0;
}

static void what_is_set_is_listed_and_what_the_user_set_is_not(void **state)
{
	static char program[] = "/bin/true", markers[] = "/r.markers", omp[] = "/r.regions";
	char *argv[] = {program, NULL};
	char tool[] = "KOKKOS_TOOLS_LIBS=", own[] = "OWN=1", many[] = "MANY={n}";
	char *env[] = {tool, own, many};
	struct sd_plan_point points[] = {{.cores = 1}, {.cores = 8}};
	const struct sd_record record = {.plan = {.point = points, .n_point = 2}};
	struct sd_options options = {.argv = argv, .argc = 1, .env = env, .n_env = 3};
	struct sd_measure m = {.options = &options,
		.marker_library = "/scalediag-markers.so",
		.omp_library = "/scalediag-omp.so"};
	const struct sd_trial t = {
		.measure = &m, .record = &record, .markers = markers, .log_folder = omp};
	const struct sd_run run = {.point = 1, .kind = SD_RUN_BLOCK};
	struct sd_texts set = {0};
	char **envp = NULL;
	int seen = 0;

	(void)state;
	unsetenv("INTEL_LIBITTNOTIFY64");
	unsetenv("KOKKOS_TOOLS_LIBS");
	unsetenv("LD_PRELOAD");
	setenv("INTEL_ITTNOTIFY_GROUPS", "mine", 1);
	assert_int_equal(sd_trial_environment_set(&t, &set), 0);
	assert_true(lists(&set, "OMP_NUM_THREADS={n}"));
	assert_true(lists(&set, "SCALEDIAG_MARKERS=/r.markers"));
	assert_true(lists(&set, "SCALEDIAG_OMP_FOLDER=/r.regions"));
	assert_true(lists(&set, "LD_PRELOAD=/scalediag-markers.so:/scalediag-omp.so"));
	assert_true(lists(&set, "INTEL_LIBITTNOTIFY64=/scalediag-markers.so"));
	assert_false(names(&set, "INTEL_ITTNOTIFY_GROUPS"));
	assert_false(names(&set, "KOKKOS_TOOLS_LIBS"));
	assert_false(names(&set, "OWN"));
	assert_false(names(&set, "MANY"));
	assert_false(names(&set, "PATH"));
	/* all that differs from our own environment and --env is in the list: no more is set */
	assert_int_equal(sd_trial_environment(&t, &run, &envp), 0);
	for (size_t i = 0; envp[i]; i++) {
		char name[128];

		snprintf(name, sizeof name, "%.*s", (int)strcspn(envp[i], "="), envp[i]);
		seen |= strcmp(envp[i], "KOKKOS_TOOLS_LIBS=") == 0;
		if (!getenv(name) && strcmp(name, "OWN") && strcmp(name, "MANY") &&
			strcmp(name, "KOKKOS_TOOLS_LIBS"))
			assert_true(names(&set, name));
	}
	assert_true(seen);
	sd_command_words_free(envp);

	/* without thread counts there are none; the list is made anew */
	options.no_env = 1;
	m.marker_library = m.omp_library = NULL;
	assert_int_equal(sd_trial_environment_set(&t, &set), 0);
	assert_int_equal(set.n, 1);
	assert_string_equal(set.text[0], "SCALEDIAG_MARKERS=/r.markers");
	sd_texts_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_set_is_listed_and_what_the_user_set_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
