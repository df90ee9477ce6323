#include "options/command_line.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "options/option_grammar.h"

static const struct argp_option options[] = {
	{"help", 'h', "all", OPTION_ARG_OPTIONAL, "Print this; --help=all: with every option", -1},
	{"version", 'V', NULL, 0, "Print the version, and what it was built from and with", -1},
	{0},
};

/* argp's: NOLINTNEXTLINE(readability-non-const-parameter) */
static error_t handle(int key, char *value, struct argp_state *state)
{
	enum sd_asked *const asked = state->input;

	if (key == 'h')
		*asked = value ? SD_ASKED_ALL_HELP : SD_ASKED_HELP;
	else if (key == 'V')
		*asked = SD_ASKED_VERSION;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp common = {.options = options, .parser = handle};
const struct argp_child sd_command_line_common[] = {{&common, 0, NULL, 0}, {0}};

error_t sd_command_line_begin(struct argp_state *state, enum sd_asked *asked)
{
	state->err_stream = NULL;
	state->child_inputs[0] = asked;
	return 0;
}

static int try_option(void *nearest, const struct argp_option *o)
{
	if (o->name && !(o->flags & OPTION_HIDDEN))
		sd_nearest_try(nearest, o->name);
	return 0;
}

/* Names of options in other tools, long ones or letters, and ours instead. */
static const struct {
	const char *word, *instead;
} elsewhere[] = {
	{"runs", "--repeats"},
	{"iterations", "--repeats"},
	{"threads", "--cores"},
	{"jobs", "--cores"},
	{"cpus", "--cores"},
	{"procs", "--ranks"},
	{"duration", "--budget, or --window of attach"},
	{"pid", "scalediag attach PID"},
	{"-n", "--cores, or {n} among the program's own arguments"},
	{"-t", "--cores, or {n} among the program's own arguments"},
	{"-j", "--cores, or {n} among the program's own arguments"},
	{"-c", "--cores"},
	{"-r", "--repeats"},
	{"-p", "scalediag attach PID"},
};

/* A word that argp does not know, and other tools do: 1 when it has been said. */
static int say_elsewhere(const char *name, const char *word, const struct sd_sink *sink)
{
	const char *const w = word[1] == '-' ? word + 2 : word;
	const size_t length = word[1] == '-' ? strcspn(w, "=") : 2;

	for (size_t i = 0; strcmp(name, "run") == 0 && i < sizeof elsewhere / sizeof *elsewhere;
		i++)
		if (strlen(elsewhere[i].word) == length &&
			strncmp(w, elsewhere[i].word, length) == 0) {
			sd_say(sink, SD_LEVEL_ERROR,
				"%.*s: scalediag run has no such option; it is %s",
				(int)(w - word + length), word, elsewhere[i].instead);
			return 1;
		}
	return 0;
}

static void say_unknown(
	const char *name, const struct argp *argp, const char *word, const struct sd_sink *sink)
{
	const size_t length = strcspn(word, "=");
	struct sd_nearest n;

	sd_nearest_begin(&n, word + 2, length > 2 ? length - 2 : 0);
	sd_option_grammar_each(argp, try_option, &n);
	if (n.best)
		sd_say(sink, SD_LEVEL_ERROR,
			"%.*s: scalediag %s has no such option; did you mean --%s?", (int)length,
			word, name, n.best);
	else
		sd_say(sink, SD_LEVEL_ERROR,
			"%.*s: scalediag %s has no such option; see scalediag %s --help",
			(int)length, word, name, name);
}

error_t sd_command_line_parse(const char *name, const struct argp *argp, unsigned flags, int argc,
	char **argv, void *input, const struct sd_sink *sink)
{
	struct sd_option_grammar g = {.argp = argp, .in_order = (flags & ARGP_IN_ORDER) != 0};
	error_t rc;

	/* what getopt would say of a long option has no suggestion in it */
	for (int i = 1; i < argc; i++) {
		const enum sd_word word = sd_option_grammar_next(&g, argv[i]);

		if (word == SD_WORD_OPTION && strncmp(argv[i], "--help=", 7) == 0 &&
			strcmp(argv[i] + 7, "all") != 0) {
			sd_say(sink, SD_LEVEL_ERROR, "--help '%s': must be all, or nothing",
				argv[i] + 7);
			return EINVAL;
		}
		if (word == SD_WORD_UNKNOWN && say_elsewhere(name, argv[i], sink))
			return EINVAL;
		if (word == SD_WORD_UNKNOWN && argv[i][1] == '-') {
			say_unknown(name, argp, argv[i], sink);
			return EINVAL;
		}
	}
	rc = argp_parse(argp, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, input);
	if (rc == ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "not enough memory");
	return rc;
}
