#include "support/measure_fakes.h"

#include "launch/environment.h"
#include "launch/command_words.h"

static char *copy(const char *text)
{
	char *c = strdup(text);

	assert_non_null(c);
	return c;
}

/* The only value of `name`; NULL when it is not set. */
static const char *value_of(char *const *envp, const char *name)
{
	const size_t n = strlen(name);
	const char *value = NULL;

	for (; *envp; envp++)
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=') {
			assert_null(value);
			value = *envp + n + 1;
		}
	return value;
}

static void the_count_replaces_n_in_arguments(void **state)
{
	char *argv[] = {
		copy("app"), copy("-t{n}"), copy("{n}x{n}"), copy("{ n } {m}"), copy(""), NULL};
	static const char *const want[] = {"app", "-t12", "12x12", "{ n } {m}", ""};
	char **out;

	(void)state;
	assert_int_equal(sd_environment_argv(argv, 12, NULL, &out), 0);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(out[i], want[i]);
		free(argv[i]);
	}
	assert_null(out[5]);
	sd_command_words_free(out);
}

static void the_usual_variables_are_set(void **state)
{
	char *base[] = {copy("HOME=/root"), copy("OMP_NUM_THREADS=99"), copy("odd"), NULL};
	struct sd_options o = {0};
	char **out;

	(void)state;
	assert_int_equal(sd_environment_envp(base, &o, 3, NULL, &out), 0);
	assert_string_equal(value_of(out, "HOME"), "/root");
	assert_string_equal(out[2], "odd");
	for (size_t i = 0; i < sd_environment_variables; i++)
		assert_string_equal(value_of(out, sd_environment_variable[i].name), "3");
	assert_string_equal(value_of(out, "OMP_NUM_THREADS"), "3");
	sd_command_words_free(out);
	o.no_env = 1;
	assert_int_equal(sd_environment_envp(base, &o, 3, NULL, &out), 0);
	assert_string_equal(value_of(out, "OMP_NUM_THREADS"), "99");
	assert_null(value_of(out, "GOMAXPROCS"));
	sd_command_words_free(out);
	for (size_t i = 0; i < 3; i++)
		free(base[i]);
}

static void env_has_the_last_word(void **state)
{
	char *base[] = {NULL};
	char *env[] = {copy("OMP_NUM_THREADS=1"), copy("W={n}:{n}"), copy("W=2{n}"), copy("E="),
		copy("OMP=x")};
	struct sd_options o = {.env = env, .n_env = 5};
	char **out;

	(void)state;
	assert_int_equal(sd_environment_envp(base, &o, 4, NULL, &out), 0);
	assert_string_equal(value_of(out, "OMP_NUM_THREADS"), "1");
	assert_string_equal(value_of(out, "W"), "24");
	assert_string_equal(value_of(out, "E"), "");
	assert_string_equal(value_of(out, "OMP"), "x");
	sd_command_words_free(out);
	for (size_t i = 0; i < 5; i++)
		free(env[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_replaces_n_in_arguments),
		cmocka_unit_test(the_usual_variables_are_set),
		cmocka_unit_test(env_has_the_last_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
