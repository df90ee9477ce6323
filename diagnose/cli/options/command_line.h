/*
 * The command lines of all commands: where the values of options go, --help, --version, and the
 * message about an unknown option.
 */
#ifndef SD_COMMAND_LINE_H
#define SD_COMMAND_LINE_H

#include <argp.h>

#include "base/sink.h"

/* The request that stands instead of the command's work. */
enum sd_asked { SD_ASKED_NOTHING, SD_ASKED_HELP, SD_ASKED_ALL_HELP, SD_ASKED_VERSION };

/* The children of every command's argp: --help and --version. */
extern const struct argp_child sd_command_line_common[];

/* Kinds of options, and the type that the value of each has. */
enum sd_option_kind {
	SD_OPTION_TEXT = 1, /* const char *: as it is given */
	SD_OPTION_FLAG,     /* int: 1 */
	SD_OPTION_CHOICE,   /* unsigned: which of the words of its argp row, "text|json" */
	SD_OPTION_NUMBER,   /* unsigned, from low to high */
	SD_OPTION_SECONDS,  /* double, from low to high */
	SD_OPTION_ONE,      /* const char *: given once at most, or it is not "one " what */
};

/* The place of an option's value. */
struct sd_option_place {
	int key; /* ARGP_KEY_ARG: of the words that are no options */
	enum sd_option_kind kind;
	size_t at; /* in what the command line is parsed into */
	double low, high;
	const char *what;
};

struct sd_command_line {
	const char *name; /* of the command: "check" */
	const struct argp *argp;
	const struct sd_option_place *place; /* the last is {0}; NULL none */
	void *into;
	const struct sd_sink *sink;
	enum sd_asked asked; /* out */
};

/*
 * An argp parser, for which state->input is a struct sd_command_line: it takes what has a place,
 * and --json and --brief as --format. A command's own parser takes what needs more, and calls this
 * for the rest.
 */
error_t sd_command_line_take(int key, char *value, struct argp_state *state);

/*
 * Parses argv as argp does with these flags. 0, or what a parser returned, or EINVAL; all said in
 * one line.
 */
error_t sd_command_line_parse(struct sd_command_line *l, unsigned flags, int argc, char **argv);

#endif
