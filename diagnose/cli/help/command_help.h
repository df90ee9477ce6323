/*
 * Texts of every command about itself: --help and --version, from its row in the table of commands.
 */
#ifndef SD_COMMAND_HELP_H
#define SD_COMMAND_HELP_H

#include <stdio.h>

#include "context/context.h"
#include "options/command_line.h"

/* The page of --help=all. */
void sd_command_help_print(FILE *f, const struct sd_cli *cli, const struct sd_command *c);

/* The page of --help: a screen, where the command has daily options, else as above. */
void sd_command_help_brief(FILE *f, const struct sd_cli *cli, const struct sd_command *c);

/* The first page: what scalediag is, examples, all commands and topics; no options. */
void sd_command_help_first(FILE *f, const struct sd_cli *cli);

/* Prints what was asked of the command `name`; the command's exit status. */
enum sd_exit sd_command_help_answer(
	const struct sd_cli *cli, const char *name, enum sd_asked asked);

/*
 * Parses argv of a command. 1: its work is asked for; 0: *status is its end, after wrong usage, or
 * after --help or --version, which are answered. Fills l->sink.
 */
int sd_command_help_parse(const struct sd_cli *cli, struct sd_command_line *l, int argc,
	char **argv, enum sd_exit *status);

/* Its manual page (help/manual_page.h). */
enum sd_exit sd_command_help_manual(const struct sd_cli *cli, const char *name);

/* The row of that name, or NULL. */
const struct sd_command *sd_command_help_find(const struct sd_cli *cli, const char *name);

#endif
