/*
 * Debug information outside a file's own sections: its separate debug file, found by build-id or
 * .gnu_debuglink, and the symbols packed in .gnu_debugdata. A file is used only if it verifiably
 * belongs.
 */
#ifndef SD_DEBUG_FILE_H
#define SD_DEBUG_FILE_H

#include <elfutils/libdw.h>

#include "symbols/elf_file.h"

/* `path` is f's own path, NULL unknown; `root` is a prefix of all paths. 0 or -ENOENT. */
int sd_debug_file_open(
	struct sd_elf_file *out, const struct sd_elf_file *f, const char *root, const char *path);

/* The ELF file packed into f's .gnu_debugdata. 0 or -ENOENT. */
int sd_debug_file_packed(struct sd_elf_file *out, const struct sd_elf_file *f);

/*
 * The DWARF of f, NULL: none usable. DWARF shared with other files (dwz's .gnu_debugaltlink) is
 * opened into *alt and *alt_file; close these after it.
 */
Dwarf *sd_debug_file_dwarf(const struct sd_elf_file *f, const char *root, const char *path,
	struct sd_elf_file *alt_file, Dwarf **alt);

#endif
