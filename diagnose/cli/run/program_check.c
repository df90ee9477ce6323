#include "run/program_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/program_path.h"

int sd_program_check(
	const struct sd_cli *cli, const char *name, const char *cwd, struct sd_program_file *file)
{
	char *path = NULL, commands[256] = "";
	int rc;

	*file = (struct sd_program_file){.bytes = SD_NOT(ABSENT)};
	if (strstr(name, "{n}"))
		return 0;
	rc = sd_program_path_find(name, cwd, environ, &path, NULL);
	if (rc == 0)
		sd_program_file_read(path, file);
	free(path);
	if (rc == 0)
		return 0;
	if (rc == -ENOENT && strpbrk(name, " |;&<>") && access(name, F_OK) != 0) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"no program is called '%s'. No shell is involved: give each word by "
			"itself, "
			"or run a shell with -- sh -c '%s'",
			name, name);
		return rc;
	}
	if (rc != -ENOENT || strchr(name, '/') || access(name, F_OK) == 0) {
		rc = sd_program_path_find(name, cwd, environ, &path, cli->sink);
		free(path);
		return rc;
	}
	/* a word that is neither: a mistyped command as well as a mistyped program */
	for (const struct sd_command *c = cli->commands; c->name; c++) {
		const size_t used = strlen(commands);

		snprintf(
			commands + used, sizeof commands - used, "%s%s", used ? ", " : "", c->name);
	}
	sd_say(cli->sink, SD_LEVEL_ERROR,
		"%s: no program in any folder of the PATH, and no command of scalediag; those are %s",
		name, commands);
	return rc;
}

/* Words that people write for a number in an argument, other than {n}. */
static const struct word {
	const char *text;
	int of_shape; /* stands for one with --ranks or --points */
} words[] = {{"{cores}", 0}, {"{cpus}", 0}, {"{nproc}", 0}, {"{nthreads}", 0}, {"{N}", 0},
	{"{threads}", 1}, {"{ranks}", 1}, {"{nodes}", 1}};

/* The first of them that stands for nothing here; NULL: none. */
static const struct word *unknown_word(char *const *argv, int has_shape)
{
	for (size_t i = 0; argv[i]; i++)
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			if (strstr(argv[i], words[k].text) && !(has_shape && words[k].of_shape))
				return &words[k];
	return NULL;
}

void sd_program_check_words(char *const *argv, int has_shape, const struct sd_sink *sink)
{
	/* ';' is a word of find's own */
	static const char *const acts[] = {
		"|", "||", "|&", "&", "&&", ">", ">>", "<", "<<<", "2>", "2>&1", "&>"};
	const struct word *const unknown = unknown_word(argv, has_shape);
	char line[512] = "";
	size_t used = 0, i = 1;

	if (unknown)
		sd_say(sink, SD_LEVEL_NOTE,
			"'%s' goes to the program as it stands: {n} becomes the core count%s",
			unknown->text, unknown->of_shape ? ", this a number with --ranks" : "");
	for (; argv[0] && argv[i]; i++)
		for (size_t k = 0; k < sizeof acts / sizeof *acts; k++)
			if (strcmp(argv[i], acts[k]) == 0)
				goto found;
	return;
found:
	for (size_t k = 0; argv[k] && used < sizeof line; k++)
		used += (size_t)snprintf(
			line + used, sizeof line - used, "%s%s", k ? " " : "", argv[k]);
	sd_say(sink, SD_LEVEL_NOTE,
		"'%s' goes to the program as it stands: no shell is involved. With one: "
		"scalediag -- sh -c '%s'",
		argv[i], line);
}

enum sd_exit sd_program_check_counts(
	const struct sd_plan *plan, unsigned granted, const struct sd_sink *sink)
{
	const char *const plural = granted == 1 ? "" : "s";

	if (plan->n_skipped == 0)
		return SD_EXIT_DONE;
	if (plan->n_point < 2) {
		sd_say(sink, SD_LEVEL_ERROR,
			"only %u CPU%s available, and with fewer than two counts there is nothing "
			"to compare: ask for others, or for --oversubscribe to measure these "
			"anyway",
			granted, plural);
		return SD_EXIT_USAGE;
	}
	sd_say(sink, SD_LEVEL_NOTE,
		"skipping %zu count%s from %u: only %u CPU%s available (--oversubscribe to measure "
		"anyway)",
		plan->n_skipped, plan->n_skipped == 1 ? "" : "s", plan->skipped[0], granted,
		plural);
	return SD_EXIT_DONE;
}
