#include "options/command_line.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "options/common_values.h"
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

static error_t set(
	const struct sd_command_line *l, const struct sd_option_place *p, const char *value)
{
	const struct argp_option *o = l->argp->options;
	void *const at = (char *)l->into + p->at;
	const char **const text = at;

	while (p->key != ARGP_KEY_ARG && o->key != p->key)
		o++;
	switch (p->kind) {
	case SD_OPTION_FLAG:
		*(int *)at = 1;
		return 0;
	case SD_OPTION_CHOICE:
		return sd_common_values_choice(l->sink, o->name, value, o->arg, at);
	case SD_OPTION_NUMBER:
		return sd_common_values_number(
			l->sink, o->name, value, (unsigned)p->low, (unsigned)p->high, at);
	case SD_OPTION_SECONDS:
		return sd_common_values_seconds(l->sink, o->name, value, p->low, p->high, at);
	case SD_OPTION_ONE:
		if (*text) {
			sd_say(l->sink, SD_LEVEL_ERROR, "'%s': one %s, after '%s'", value, p->what,
				*text);
			return EINVAL;
		}
		break;
	case SD_OPTION_TEXT:
		break;
	}
	*text = value;
	return 0;
}

static error_t take(const struct sd_command_line *l, int key, const char *value)
{
	for (const struct sd_option_place *p = l->place; p && p->kind; p++)
		if (p->key == key)
			return set(l, p, value);
	if (key == SD_KEY_JSON || key == SD_KEY_BRIEF)
		return take(l, 'f', key == SD_KEY_JSON ? "json" : "brief");
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	sd_say(l->sink, SD_LEVEL_ERROR, "'%s': %s takes options only", value, l->name);
	return EINVAL;
}

error_t sd_command_line_take(int key, char *value, struct argp_state *state)
{
	struct sd_command_line *const l = state->input;

	if (key != ARGP_KEY_INIT)
		return take(l, key, value);
	/* getopt says in one line what is wrong with an option; argp would add a second */
	state->err_stream = NULL;
	state->child_inputs[0] = &l->asked;
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
	{"long", "scalediag report --long RECORD, once it has run"},
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

static void say_unknown(const struct sd_command_line *l, const char *word)
{
	const size_t length = strcspn(word, "=");
	struct sd_nearest n;

	sd_nearest_begin(&n, word + 2, length > 2 ? length - 2 : 0);
	sd_option_grammar_each(l->argp, try_option, &n);
	if (n.best)
		sd_say(l->sink, SD_LEVEL_ERROR,
			"%.*s: scalediag %s has no such option; did you mean --%s?", (int)length,
			word, l->name, n.best);
	else
		sd_say(l->sink, SD_LEVEL_ERROR,
			"%.*s: scalediag %s has no such option; see scalediag %s --help",
			(int)length, word, l->name, l->name);
}

error_t sd_command_line_parse(struct sd_command_line *l, unsigned flags, int argc, char **argv)
{
	struct sd_option_grammar g = {.argp = l->argp, .in_order = (flags & ARGP_IN_ORDER) != 0};
	error_t rc;

	/* what getopt would say of a long option has no suggestion in it */
	for (int i = 1; i < argc; i++) {
		const enum sd_word word = sd_option_grammar_next(&g, argv[i]);

		if (word == SD_WORD_OPTION && strncmp(argv[i], "--help=", 7) == 0 &&
			strcmp(argv[i] + 7, "all") != 0) {
			sd_say(l->sink, SD_LEVEL_ERROR, "--help '%s': must be all, or nothing",
				argv[i] + 7);
			return EINVAL;
		}
		if (word == SD_WORD_UNKNOWN && say_elsewhere(l->name, argv[i], l->sink))
			return EINVAL;
		if (word == SD_WORD_UNKNOWN && argv[i][1] == '-') {
			say_unknown(l, argv[i]);
			return EINVAL;
		}
	}
	rc = argp_parse(l->argp, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_HELP, NULL, l);
	if (rc == ENOMEM)
		sd_say(l->sink, SD_LEVEL_ERROR, "not enough memory");
	return rc;
}
