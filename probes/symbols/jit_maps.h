/*
 * JIT-compiled functions, from the maps that programs write to /tmp/perf-PID.map.
 */
#ifndef SD_JIT_MAPS_H
#define SD_JIT_MAPS_H

#include "symbols/mapped_files.h"
#include "symbols/symbol_text.h"

/* NULL is the empty one. */
struct sd_jit_maps;

/* The function at pc; NULL: no map, or no such function. The map is read at the first call; `root`
 * is a prefix of its path. */
const struct sd_label *sd_jit_maps_at(struct sd_jit_maps **jit, const struct sd_mapped_files *held,
	const char *root, int pid, uint64_t pc);

void sd_jit_maps_forget(struct sd_jit_maps **jit, int pid); /* the pid was reused */
void sd_jit_maps_free(struct sd_jit_maps **jit);

#endif
