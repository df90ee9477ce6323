/*
 * Debug information outside a file's own sections: its separate debug file, found by build-id or
 * .gnu_debuglink, and the symbols packed in .gnu_debugdata. A file is used only if it verifiably
 * belongs.
 */
#ifndef SD_DEBUG_FILE_H
#define SD_DEBUG_FILE_H

#include <elfutils/libdw.h>

#include "symbols/elf_file.h"
#include "target/target_view.h"

/* The tree in which debug files are looked for; f says their names, f's process opens them. */
struct sd_debug_tree {
	const struct sd_target_view *view;
	const char *prefix;        /* of all paths below the view's root; "": none */
	const struct stat *author; /* f's file */
};

/* `path` is f's own path, NULL unknown. 0 or -ENOENT. */
int sd_debug_file_open(struct sd_elf_file *out, const struct sd_elf_file *f,
	const struct sd_debug_tree *in, const char *path);

/* The ELF file packed into f's .gnu_debugdata. 0 or -ENOENT. */
int sd_debug_file_packed(struct sd_elf_file *out, const struct sd_elf_file *f);

/*
 * The DWARF of f, NULL: none usable. DWARF shared with other files (dwz's .gnu_debugaltlink) is
 * opened into *alt and *alt_file; close these after it.
 */
Dwarf *sd_debug_file_dwarf(const struct sd_elf_file *f, const struct sd_debug_tree *in,
	const char *path, struct sd_elf_file *alt_file, Dwarf **alt);

#endif
