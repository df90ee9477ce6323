/*
 * What a file's own sections leave out: its separate debug file, by build-id or .gnu_debuglink, and
 * the symbols packed into .gnu_debugdata. A file that is not proved to belong is not used.
 */
#ifndef SD_DEBUG_FILE_H
#define SD_DEBUG_FILE_H

#include <elfutils/libdw.h>

#include "symbols/elf_file.h"

/* `path` is where f came from, NULL unknown; `root` is put before paths. 0 or -ENOENT. */
int sd_debug_file_open(
	struct sd_elf_file *out, const struct sd_elf_file *f, const char *root, const char *path);

/* The ELF file packed into f's .gnu_debugdata. 0 or -ENOENT. */
int sd_debug_file_packed(struct sd_elf_file *out, const struct sd_elf_file *f);

/*
 * DWARF of f, NULL: none that could be used. What it shares with others (dwz's .gnu_debugaltlink)
 * is opened into *alt and *alt_file, to be closed after it.
 */
Dwarf *sd_debug_file_dwarf(const struct sd_elf_file *f, const char *root, const char *path,
	struct sd_elf_file *alt_file, Dwarf **alt);

#endif
