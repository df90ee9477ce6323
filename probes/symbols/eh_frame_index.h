/*
 * Finds the start of functions without symbols in the sorted index that linkers build for the
 * unwind tables (.eh_frame_hdr).
 */
#ifndef SD_EH_FRAME_INDEX_H
#define SD_EH_FRAME_INDEX_H

#include "symbols/elf_file.h"

/* The start of the code containing vaddr; 0: no index, an encoding that linkers do not use, or
 * vaddr before its first entry or in another segment than the entry found.
 */
uint64_t sd_eh_frame_index_start(const struct sd_elf_file *f, uint64_t vaddr);

#endif
