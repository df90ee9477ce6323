/*
 * The symbols of ELF files by address: functions, or variables.
 */
#ifndef SD_FUNCTIONS_H
#define SD_FUNCTIONS_H

#include "symbols/elf_file.h"

enum sd_functions_kind { SD_FUNCTIONS_CODE, SD_FUNCTIONS_DATA };

struct sd_function {
	uint64_t start, end;
	uint64_t reach; /* the highest end of it and all before it */
	uint32_t name;
	unsigned char table, bind, sized;
};

#define SD_FUNCTIONS_TABLES 4

struct sd_functions {
	enum sd_functions_kind kind;
	struct sd_function *item; /* owned; by start, each start once */
	size_t n, size;
	struct {
		Elf *elf; /* borrowed */
		size_t names;
	} table[SD_FUNCTIONS_TABLES];
	size_t n_table;
};

/*
 * Adds the symbols of f's table of type SHT_SYMTAB or SHT_DYNSYM; f stays open as long as *out.
 * How many were added, or -ENOMEM. Of a complete table those without a size (assembly) reach to the
 * next one; of exported symbols alone they are left out, as what follows them may be anything.
 */
long sd_functions_add(struct sd_functions *out, const struct sd_elffile *f, unsigned type);

/* After the last add: they can be looked up. */
void sd_functions_sort(struct sd_functions *f);

/* The innermost that holds vaddr; NULL: none. */
const struct sd_function *sd_functions_at(const struct sd_functions *f, uint64_t vaddr);

/* Never NULL; borrowed from the ELF file. */
const char *sd_functions_name(const struct sd_functions *f, const struct sd_function *one);

void sd_functions_free(struct sd_functions *f); /* accepts the zeroed value, leaves it */

#endif
