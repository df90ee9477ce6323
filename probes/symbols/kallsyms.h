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
	uint64_t modules; /* hash of /proc/modules as it was then */
};

/* NULL: not to be known. Read at the first call; `root` is put before the paths of /proc. */
const struct sd_label *sd_kallsyms_at(struct sd_kallsyms *k, const char *root, uint64_t address);

/* Forgets them when other modules are loaded now. */
void sd_kallsyms_check(struct sd_kallsyms *k, const char *root);

void sd_kallsyms_free(struct sd_kallsyms *k); /* leaves it empty */

#endif
