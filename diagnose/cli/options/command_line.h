/*
 * Shared parts of all command lines: --help, --version, and the message about an unknown option.
 */
#ifndef SD_COMMAND_LINE_H
#define SD_COMMAND_LINE_H

#include <argp.h>

#include "base/sink.h"

/* The request that stands instead of the command's work. */
enum sd_asked { SD_ASKED_NOTHING, SD_ASKED_HELP, SD_ASKED_ALL_HELP, SD_ASKED_VERSION };

/* The children of every command's argp: --help and --version. */
extern const struct argp_child sd_command_line_common[];

/*
 * Answers ARGP_KEY_INIT: *asked is where the common options put what they are asked. getopt says in
 * one line what is wrong with an option; argp would add a second.
 */
error_t sd_command_line_begin(struct argp_state *state, enum sd_asked *asked);

/*
 * Parses argv of the command `name` ("check") into `input`, as argp does with these flags. 0, or
 * what a parser returned, or EINVAL; all said in one line, but ENOMEM.
 */
error_t sd_command_line_parse(const char *name, const struct argp *argp, unsigned flags, int argc,
	char **argv, void *input, const struct sd_sink *sink);

#endif
