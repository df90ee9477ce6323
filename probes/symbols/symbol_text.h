/*
 * Named ranges of addresses that somebody wrote down as text: JIT maps and /proc/kallsyms.
 */
#ifndef SD_SYMBOL_TEXT_H
#define SD_SYMBOL_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct sd_label {
	uint64_t start, end;
	const char *name; /* borrowed from .text; NULL: what is here has no name */
	size_t order;
};

struct sd_symbol_text {
	char *text; /* owned */
	struct sd_label *item;
	size_t n, size;
};

/* The whole file, at most `max` bytes, NUL-terminated, from malloc; NULL: not to be had. Takes fd
 * over. */
char *sd_symbol_text_file(int fd, size_t max);

/* JIT map: "START SIZE NAME" in hexadecimal a line; other lines are skipped, of two at one start
 * the later is true. Takes `text` over. 0 or -ENOMEM. */
int sd_symbol_text_jit(struct sd_symbol_text *out, char *text);

/* /proc/kallsyms: "START TYPE NAME [MODULE]" a line; none when all addresses are hidden. Code has
 * a name and reaches to the next line's start. */
int sd_symbol_text_kernel(struct sd_symbol_text *out, char *text);

/* NULL: none, or one without a name. */
const struct sd_label *sd_symbol_text_at(const struct sd_symbol_text *l, uint64_t address);

void sd_symbol_text_free(struct sd_symbol_text *l); /* accepts the zeroed value, leaves it */

#endif
