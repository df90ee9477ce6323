/*
 * Completes a command line for a shell: `scalediag --complete WORD...`, which the scripts of
 * configs/completion call and --help does not show.
 */
#ifndef SD_COMPLETE_H
#define SD_COMPLETE_H

#include "context/context.h"

/*
 * The words behind "scalediag", the last of them (which may be empty) to be completed. Prints a
 * candidate a line, as "word<tab>what it is"; the rest is the shell's part
 * (complete/value_words.h), and ":program" that the word is one of a program's own command line.
 */
enum sd_exit sd_complete(const struct sd_cli *cli, int n, char *const *words);

#endif
