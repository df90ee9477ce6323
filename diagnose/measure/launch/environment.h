/*
 * Tells the program its core count: "{n}" in its arguments and in --env, and the thread variables
 * of the usual runtimes.
 */
#ifndef SD_ENVIRONMENT_H
#define SD_ENVIRONMENT_H

#include <stddef.h>

#include "record/options.h"

/*
 * A variable set to the core count, and who reads it (for --help). Runtimes that count the CPUs of
 * their affinity mask need none, because the program is bound: the JVM, .NET, TBB, Go; Go is listed
 * for --oversubscribe. JAVA_TOOL_OPTIONS is not used: it makes the JVM print an additional line.
 */
struct sd_environment_variable {
	const char *name, *reader;
};
extern const struct sd_environment_variable sd_environment_variable[];
extern const size_t sd_environment_variables;

/* argv with every "{n}" replaced by `cores` and, with a shape, "{ranks}", "{threads}" and "{nodes}"
 * by its; *out is NULL-terminated, freed by
 * sd_command_words_free(). 0 or -ENOMEM. */
int sd_environment_argv(
	char *const *argv, unsigned cores, const struct sd_rank_shape *shape, char ***out);

/*
 * The environment of the program: `base` (NULL-terminated), then the variables above unless
 * options->no_env, then options->env with "{n}" and its like replaced; with a shape the variables
 * are set to its threads; of equal names the last wins. 0 or -ENOMEM.
 */
int sd_environment_envp(char *const *base, const struct sd_options *options, unsigned cores,
	const struct sd_rank_shape *shape, char ***out);

/* A variable for the program; see sd_environment_set(). */
struct sd_environment_setting {
	const char *name, *value;
	int join;
};

/* The value that a list has of a variable, borrowed; NULL: none. */
const char *sd_environment_value(char *const *envp, const char *name);

/*
 * Sets a variable in a list made by sd_environment_envp(). `join`: appends to its value after a
 * colon, as in GLIBC_TUNABLES and LD_PRELOAD. 0 or -ENOMEM (list unchanged).
 */
int sd_environment_set(char ***envp, const char *name, const char *value, int join);

#endif
