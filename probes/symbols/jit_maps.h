/*
 * Functions that programs compiled while they ran, by the maps they leave in /tmp/perf-PID.map.
 */
#ifndef SD_JIT_MAPS_H
#define SD_JIT_MAPS_H

#include "symbols/mapped_files.h"
#include "symbols/symbol_text.h"

/* NULL is the empty one. */
struct sd_jit_maps;

/* NULL: the process left no map, or none of the map's functions is there. The map is read at the
 * first call; `root` is put before its path. */
const struct sd_label *sd_jit_maps_at(struct sd_jit_maps **jit, const struct sd_mapped_files *held,
	const char *root, int pid, uint64_t pc);

void sd_jit_maps_forget(struct sd_jit_maps **jit, int pid); /* another process has the number */
void sd_jit_maps_free(struct sd_jit_maps **jit);

#endif
