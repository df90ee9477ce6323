/*
 * Functions of the running kernel by address, from /proc/kallsyms.
 */
#ifndef SD_KERNELNAMES_H
#define SD_KERNELNAMES_H

#include "symbols/symbol_text.h"

/* A zeroed one is empty. */
struct sd_kernelnames {
	struct sd_labels labels;
	int read;
	uint64_t modules; /* hash of /proc/modules as it was then */
};

/* NULL: not to be known. Read at the first call; `root` is put before the paths of /proc. */
const struct sd_label *sd_kernelnames_at(
	struct sd_kernelnames *k, const char *root, uint64_t address);

/* Forgets them when other modules are loaded now. */
void sd_kernelnames_check(struct sd_kernelnames *k, const char *root);

void sd_kernelnames_free(struct sd_kernelnames *k); /* leaves it empty */

#endif
