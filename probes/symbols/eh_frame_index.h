/*
 * Where functions begin that have no symbol: the sorted index that linkers make of a file's unwind
 * tables (.eh_frame_hdr).
 */
#ifndef SD_EH_FRAME_INDEX_H
#define SD_EH_FRAME_INDEX_H

#include "symbols/elf_file.h"

/* Where the code begins that holds vaddr; 0: the file has no such index, or in another encoding
 * than linkers use, or vaddr is before all of it or not in the segment of code where that begins.
 */
uint64_t sd_eh_frame_index_start(const struct sd_elf_file *f, uint64_t vaddr);

#endif
