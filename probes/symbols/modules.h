/*
 * The files that code was mapped from, each once. A file is opened at the first lookup of an
 * address in it, and used only if verified to be the one that was mapped.
 */
#ifndef SD_MODULES_H
#define SD_MODULES_H

#include <sys/stat.h>

#include "trace/event.h"
#include "unwind/unwind_rows.h"
#include "symbols/debug_file.h"
#include "symbols/elf_file.h"
#include "symbols/elf_symbols.h"
#include "symbols/mapped_files.h"
#include "base/key_table.h"
#include "target/target_trees.h"
#include "symbols/string_pool.h"
#include "dwarf/dwarf_units.h"

enum sd_module_kind {
	SD_MODULE_FILE,
	SD_MODULE_VDSO,
	SD_MODULE_ANONYMOUS, /* code without a file: JIT */
};

struct sd_module {
	enum sd_module_kind kind;
	const char *path; /* in the pool */
	uint32_t major, minor;
	uint64_t inode, mapped; /* mapped: time first mapped, 0 unknown */
	unsigned char build_id[20];
	size_t n_build_id;
	int pid; /* the process that mapped it first */
	int loaded, has_functions, has_objects;
	int is_gone;        /* superseded by a different file: never looked up again */
	int is_free;        /* gone, and nothing was ever read of it: for another */
	struct stat found;  /* the file at the path when loaded; st_ino 0: none */
	struct stat author; /* the file that was read */
	int view;           /* number of its process's in the trees; -1: ours */
	struct sd_elf_file file, debug, packed, alt; /* .elf NULL: not there */
	Dwarf *dwarf, *dwarf_alt;
	struct sd_elf_symbols functions, objects;
	struct sd_dwarf_units units;
	struct sd_unwind_rows cfi;
};

struct sd_modules {
	struct sd_module **item;      /* owned, each owned */
	size_t n, free_from;          /* free_from: none before it is free */
	struct sd_key_table by;       /* hash of what identifies it -> number + 1 */
	struct sd_string_pool *pool;  /* borrowed */
	const char *root;             /* borrowed */
	struct sd_target_trees trees; /* of the processes that were visited */
	struct sd_target_view ours;
};

/* Stores the index of the module that a MAP event maps. 0 or -ENOMEM. */
int sd_modules_add(struct sd_modules *m, const struct sd_event *map, unsigned *number);

/* Opens the module, once. 0, or -ENOENT: unavailable. */
int sd_module_load(
	const struct sd_modules *all, struct sd_module *m, const struct sd_mapped_files *held);

/* Likewise, and reads its functions and lines, or its variables. */
void sd_module_functions(const struct sd_modules *all, struct sd_module *m);
void sd_module_objects(const struct sd_modules *all, struct sd_module *m);

/* Closes modules whose path now leads to another or a changed file. */
void sd_modules_check(struct sd_modules *m);

void sd_modules_free(struct sd_modules *m);

#endif
