/*
 * The options of a command as data: which option a word of its command line is, and what the next
 * word is then. By the argp tables that also parse it, so that nothing else knows the options.
 */
#ifndef SD_OPTION_GRAMMAR_H
#define SD_OPTION_GRAMMAR_H

#include <argp.h>
#include <stddef.h>

/* Called with every option, those of argp's children after its own; not 0 ends it, and is
 * returned. */
int sd_option_grammar_each(const struct argp *argp,
	int (*call)(void *ctx, const struct argp_option *option), void *ctx);

/* Kinds of words. */
enum sd_word {
	SD_WORD_OPTION,   /* known, or an abbreviation that getopt judges */
	SD_WORD_UNKNOWN,  /* looks like an option, and there is none */
	SD_WORD_VALUE,    /* of the option in the word before */
	SD_WORD_ARGUMENT, /* of the command; also the "--" before them */
};

/* Position in a command line; begin with all but the first two zeroed. */
struct sd_option_grammar {
	const struct argp *argp;
	int in_order;                     /* the first argument ends the options (ARGP_IN_ORDER) */
	const struct argp_option *option; /* of the last word parsed; NULL: not an option */
	int wants_value;                  /* the next word is the value of `option` */
	int ended; /* the next words are arguments, whatever they look like */
};

/* Looks at the next word. */
enum sd_word sd_option_grammar_next(struct sd_option_grammar *g, const char *word);

/* The option with this long name in full, or NULL. */
const struct argp_option *sd_option_grammar_find(
	const struct argp *argp, const char *name, size_t length);

#endif
