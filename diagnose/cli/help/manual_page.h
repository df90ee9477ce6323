/*
 * The manual page of a command, section 1, from its row in the table of commands: what --help
 * prints, in man's macros. The build asks for it by `scalediag --manual-page COMMAND`.
 */
#ifndef SD_MANUAL_PAGE_H
#define SD_MANUAL_PAGE_H

#include <stdio.h>

#include "context/context.h"

/* 0, or -ENOMEM. */
int sd_manual_page(FILE *f, const struct sd_cli *cli, const struct sd_command *c);

#endif
