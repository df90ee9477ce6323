/*
 * Words of a source in C or C++, as far as a change of a declaration needs them: nothing is
 * preprocessed, so that a directive is one word and what a macro makes is not seen.
 */
#ifndef SD_C_TOKENS_H
#define SD_C_TOKENS_H

#include <stddef.h>

enum sd_c_token_kind { SD_C_WORD, SD_C_NUMBER, SD_C_STRING, SD_C_SIGN, SD_C_DIRECTIVE };

struct sd_c_token {
	enum sd_c_token_kind kind;
	size_t at, length; /* bytes of the text; a sign is one character */
	unsigned line;     /* from 1 */
};

struct sd_c_tokens {
	const char *text; /* borrowed */
	size_t size;
	struct sd_c_token *token; /* owned */
	size_t n;
};

/* 0 or -ENOMEM; any bytes may be in the text. */
int sd_c_tokens_read(struct sd_c_tokens *t, const char *text, size_t size);
void sd_c_tokens_free(struct sd_c_tokens *t); /* accepts the zeroed value */

/* Is token i this word, sign or number? 0 beyond the last one. */
int sd_c_tokens_is(const struct sd_c_tokens *t, size_t i, const char *word);

/* Is it one of them, of which NULL is the last? */
int sd_c_tokens_is_any(const struct sd_c_tokens *t, size_t i, const char *const *words);

/* The token that ends what token i, a bracket of any kind, begins; t->n: it does not end. */
size_t sd_c_tokens_end(const struct sd_c_tokens *t, size_t i);

/* The token that begins what token i < t->n, the end of brackets of any kind, ends; t->n: none. */
size_t sd_c_tokens_open(const struct sd_c_tokens *t, size_t i);

/* The first token of the declaration or statement that token i is in: behind the last ";", "{",
 * "}",
 * ":" of a label, or directive. */
size_t sd_c_tokens_begin(const struct sd_c_tokens *t, size_t i);

/* The first word `word` in one of the lines from `line` - `around` to `line` + `around`, that in
 * `line` first; t->n: none. */
size_t sd_c_tokens_find(
	const struct sd_c_tokens *t, const char *word, unsigned line, unsigned around);

/* Is token i < t->n a directive that holds the word? */
int sd_c_tokens_directive_has(const struct sd_c_tokens *t, size_t i, const char *word);

/* Does any? */
int sd_c_tokens_in_directive(const struct sd_c_tokens *t, const char *word);

#endif
