/*
 * Named address ranges from text files: JIT maps and /proc/kallsyms.
 */
#ifndef SD_SYMBOL_TEXT_H
#define SD_SYMBOL_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct sd_label {
	uint64_t start, end;
	const char *name; /* borrowed from .text; NULL: a range without a name */
	size_t order;
};

struct sd_symbol_text {
	char *text; /* owned */
	struct sd_label *item;
	size_t n;
};

/* Reads a whole file of at most `max` bytes, NUL-terminated, from malloc; NULL: failed. Takes
 * ownership of fd. */
char *sd_symbol_text_file(int fd, size_t max);

/* Parses a JIT map, lines of "START SIZE NAME" in hexadecimal. Other lines are skipped; of two with
 * the same start the later counts. Takes ownership of `text`. 0 or -ENOMEM. */
int sd_symbol_text_jit(struct sd_symbol_text *out, char *text);

/* Parses /proc/kallsyms, lines of "START TYPE NAME [MODULE]"; empty if addresses are hidden. Code
 * is named and extends to the next line's start. */
int sd_symbol_text_kernel(struct sd_symbol_text *out, char *text);

/* The label at an address; NULL: none, or without a name. */
const struct sd_label *sd_symbol_text_at(const struct sd_symbol_text *l, uint64_t address);

void sd_symbol_text_free(struct sd_symbol_text *l); /* accepts the zeroed value, leaves it */

#endif
