/*
 * Values that may stand for a name ("RECORD", "MACHINE", "text|json"), as a shell completes it.
 */
#ifndef SD_VALUE_WORDS_H
#define SD_VALUE_WORDS_H

#include <stdio.h>

#include "context/context.h"

/* The sink of candidates that begin with what was typed. */
struct sd_value_words {
	FILE *f;
	const char
		*before; /* printed before each: what of the shell's word comes before the value */
	const char *typed;
};

/* One candidate, "word<tab>what it is", if it begins with what was typed; `about` may be NULL. */
void sd_value_words_add(const struct sd_value_words *w, const char *word, const char *about);

/*
 * All for one name of a value. What the shell knows better is a line of its own: ":files",
 * ":folders", ":records" (files of JSON) or ":programs". Prints nothing for a name that nothing is
 * known of, such as a number's; returns then 0, else 1.
 */
int sd_value_words_print(
	const struct sd_value_words *w, const struct sd_cli *cli, const char *name);

#endif
