/*
 * Functions of the running kernel by address, from /proc/kallsyms.
 */
#ifndef SD_KALLSYMS_H
#define SD_KALLSYMS_H

#include "symbols/symbol_text.h"

/* A zeroed one is empty. */
struct sd_kallsyms {
	struct sd_symbol_text labels;
	int read;
	uint64_t modules; /* hash of /proc/modules when read */
};

/* The kernel function at an address; NULL: unknown. The file is read at the first call; `root` is
 * the prefix of /proc. */
const struct sd_label *sd_kallsyms_at(struct sd_kallsyms *k, const char *root, uint64_t address);

/* Forgets the symbols if the set of loaded modules has changed. */
void sd_kallsyms_check(struct sd_kallsyms *k, const char *root);

void sd_kallsyms_free(struct sd_kallsyms *k); /* leaves it empty */

#endif
