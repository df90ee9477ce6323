/*
 * A question at the terminal.
 */
#ifndef SD_LESSON_ASK_H
#define SD_LESSON_ASK_H

#include "context/context.h"

/* Is there a terminal to ask at, and to read the question on? */
int sd_lesson_ask_can(void);

/* The letter that is typed, as a small one; 0: another sign, an empty line, the end of the input, a
 * wish to stop, or no terminal to ask at. */
char sd_lesson_ask(const struct sd_cli *cli, const char *question);

#endif
