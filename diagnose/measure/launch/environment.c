#include "launch/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/command_words.h"

const struct sd_environment_variable sd_environment_variable[] = {
	{"OMP_NUM_THREADS", "OpenMP (libgomp, libomp), and what is built on it"},
	{"OPENBLAS_NUM_THREADS", "OpenBLAS"},
	{"MKL_NUM_THREADS", "Intel MKL"},
	{"BLIS_NUM_THREADS", "BLIS"},
	{"NUMEXPR_NUM_THREADS", "NumExpr"},
	{"NUMBA_NUM_THREADS", "Numba"},
	{"POLARS_MAX_THREADS", "Polars"},
	{"RAYON_NUM_THREADS", "Rust, rayon"},
	{"GOMAXPROCS", "Go"},
	{"JULIA_NUM_THREADS", "Julia"},
	{"CILK_NWORKERS", "OpenCilk"},
};
const size_t sd_environment_variables =
	sizeof sd_environment_variable / sizeof *sd_environment_variable;

/* A word that stands for a number in an argument. */
struct word {
	const char *name;
	unsigned number;
};

/* The word that `text` begins with; NULL: none. */
static const struct word *word_at(const struct word *words, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(text, words[i].name, strlen(words[i].name)) == 0)
			return &words[i];
	return NULL;
}

/* `text` with every word replaced; NULL without memory. */
static char *substitute(const char *text, unsigned cores, const struct sd_rank_shape *shape)
{
	const struct word words[] = {{"{n}", cores}, {"{ranks}", shape ? shape->ranks : 0},
		{"{threads}", shape ? shape->threads : 0}, {"{nodes}", shape ? shape->nodes : 0}};
	const size_t n = shape ? sizeof words / sizeof *words : 1;
	size_t size = 0;
	char *out = NULL;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	while (*text) {
		const struct word *const w = *text == '{' ? word_at(words, n, text) : NULL;

		if (w)
			fprintf(f, "%u", w->number);
		else
			fputc(*text, f);
		text += w ? strlen(w->name) : 1;
	}
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

int sd_environment_argv(
	char *const *argv, unsigned cores, const struct sd_rank_shape *shape, char ***out)
{
	size_t n = 0;
	char **list;

	while (argv[n])
		n++;
	*out = NULL;
	list = calloc(n + 1, sizeof *list);
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		list[i] = substitute(argv[i], cores, shape);
		if (!list[i]) {
			sd_command_words_free(list);
			return -ENOMEM;
		}
	}
	*out = list;
	return 0;
}

/* Replaces the entry of the same name, or appends; takes `entry`, also on failure. */
static int set(char **list, size_t *n, char *entry)
{
	const size_t name = entry ? strcspn(entry, "=") : 0;

	if (!entry)
		return -ENOMEM;
	for (size_t i = 0; i < *n; i++)
		if (strncmp(list[i], entry, name) == 0 && list[i][name] == '=') {
			free(list[i]);
			list[i] = entry;
			return 0;
		}
	list[(*n)++] = entry;
	return 0;
}

static char *count_variable(const char *name, unsigned cores)
{
	char *entry = NULL;

	return asprintf(&entry, "%s=%u", name, cores) < 0 ? NULL : entry;
}

int sd_environment_envp(char *const *base, const struct sd_options *options, unsigned cores,
	const struct sd_rank_shape *shape, char ***out)
{
	size_t n = 0, room = sd_environment_variables + options->n_env + 1;
	char **list;
	int rc = 0;

	while (base[n])
		n++;
	*out = NULL;
	list = calloc(room + n, sizeof *list);
	if (!list)
		return -ENOMEM;
	/* not set(): what our caller gave twice is handed on twice */
	for (size_t i = 0; i < n && !rc; i++)
		rc = (list[i] = strdup(base[i])) ? 0 : -ENOMEM;
	for (size_t i = 0; i < sd_environment_variables && !rc && !options->no_env; i++)
		rc = set(list, &n,
			count_variable(
				sd_environment_variable[i].name, shape ? shape->threads : cores));
	for (size_t i = 0; i < options->n_env && !rc; i++)
		rc = set(list, &n, substitute(options->env[i], cores, shape));
	if (rc)
		sd_command_words_free(list);
	else
		*out = list;
	return rc;
}

const char *sd_environment_value(char *const *envp, const char *name)
{
	const size_t n = strlen(name);

	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

int sd_environment_set(char ***envp, const char *name, const char *value, int join)
{
	const size_t length = strlen(name);
	char *entry = NULL, **list = *envp;
	size_t n = 0, at;
	int made;

	while (list[n])
		n++;
	for (at = 0; at < n; at++)
		if (strncmp(list[at], name, length) == 0 && list[at][length] == '=')
			break;
	if (at < n && join && list[at][length + 1])
		made = asprintf(&entry, "%s:%s", list[at], value);
	else
		made = asprintf(&entry, "%s=%s", name, value);
	if (made < 0)
		return -ENOMEM;
	if (at == n) {
		list = reallocarray(list, n + 2, sizeof *list);
		if (!list) {
			free(entry);
			return -ENOMEM;
		}
		list[n] = list[n + 1] = NULL;
		*envp = list;
	}
	free(list[at]);
	list[at] = entry;
	return 0;
}
