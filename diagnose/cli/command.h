/*
 * The one table of commands.
 */
#ifndef SD_COMMAND_H
#define SD_COMMAND_H

#include "context/context.h"

/* `run` first; ends with a row without a name. */
extern const struct sd_command sd_commands[];

/* The command of that name, or NULL. */
const struct sd_command *sd_command_find(const char *name);

/* True if the first word of a command line is a mistyped command and no program; then reported. */
int sd_command_mistyped(const char *word, const struct sd_sink *sink);

#endif
