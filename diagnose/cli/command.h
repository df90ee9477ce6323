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

#endif
