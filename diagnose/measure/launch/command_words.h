/*
 * Splits a command line into words, for direct execution.
 */
#ifndef SD_COMMAND_WORDS_H
#define SD_COMMAND_WORDS_H

#include "base/sink.h"

/*
 * Splits `text` as a shell would: blanks, '…', "…" and backslashes. Nothing is expanded: characters
 * with a special meaning to a shell (unquoted $ ` * ? [ ~ | & ; < > ( ) #, and $ ` in double
 * quotes) are refused, because here they would silently mean something else. *words is a
 * NULL-terminated array (sd_command_words_free). 0; -EINVAL after a message that names `option`:
 * malformed, or no words; -ENOMEM.
 */
int sd_command_words_split(
	const char *text, const char *option, char ***words, const struct sd_sink *sink);

/* Puts copies of the words of `front` before those of *words. 0 or -ENOMEM (unchanged). */
int sd_command_words_prepend(char ***words, const char *const *front);

/* Frees a NULL-terminated array of strings; accepts NULL. */
void sd_command_words_free(char **words);

#endif
