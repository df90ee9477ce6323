/*
 * A command line as words, for commands that are executed directly.
 */
#ifndef SD_COMMAND_WORDS_H
#define SD_COMMAND_WORDS_H

#include "base/sink.h"

/*
 * Splits `text` as a shell would: blanks, '…', "…" and backslashes. Nothing is expanded: what a
 * shell would treat as more than text ($ ` * ? [ ~ | & ; < > ( ) # unquoted, $ ` in double quotes)
 * is refused, since it would silently mean something else here. *words is a NULL-terminated array
 * (sd_command_words_free). 0; -EINVAL said, naming `option`, when it is malformed or holds no word;
 * -ENOMEM.
 */
int sd_command_words_split(
	const char *text, const char *option, char ***words, const struct sd_sink *sink);

/* Frees a NULL-terminated array of strings; accepts NULL. */
void sd_command_words_free(char **words);

#endif
