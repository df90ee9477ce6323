/*
 * Statements, loops and functions in the words of a source in C or C++, and which branches of its
 * conditional directives the program was built from.
 */
#ifndef SD_C_STATEMENTS_H
#define SD_C_STATEMENTS_H

#include "fix/c_tokens.h"

/* The last token of the statement that begins at i, with the pragmas before it; t->n: it is not
 * seen whole, or a directive stands between its words. */
size_t sd_c_statement_end(const struct sd_c_tokens *t, size_t i);

/* The "{" of the function that token i lies in, of the innermost lambda within it; t->n: none. */
size_t sd_c_statement_function(const struct sd_c_tokens *t, size_t i);

/* Do the n tokens from a and from b read the same? */
int sd_c_statement_same(const struct sd_c_tokens *t, size_t a, size_t b, size_t n);

/* The first token in [from, to) that is this word; `to`: none. */
size_t sd_c_statement_word(
	const struct sd_c_tokens *t, size_t from, size_t to, const char *word, size_t length);

/* The name that a directive "#define NAME" or "#define NAME(" gives, of *length bytes, and where
 * what it stands for begins, as bytes of the text. 0; 1: it has parameters; -1: it is none. */
int sd_c_statement_macro(
	const struct sd_c_tokens *t, size_t i, size_t *name, size_t *length, size_t *body);

/*
 * The tokens without those in branches that were not compiled: a branch in which one of the n lines
 * lies was, and so the others of its condition were not, as in every other "#ifdef" of the same
 * name unless the file itself defines it. Directives of what is decided are left out, too; what is
 * not decided stays. `out` borrows the text. 0 or -ENOMEM.
 */
int sd_c_statement_compiled(
	const struct sd_c_tokens *t, const unsigned *line, size_t n, struct sd_c_tokens *out);

#endif
