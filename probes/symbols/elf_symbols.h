/*
 * The symbols of ELF files by address: functions, or variables.
 */
#ifndef SD_ELF_SYMBOLS_H
#define SD_ELF_SYMBOLS_H

#include "symbols/elf_file.h"

enum sd_elf_symbols_kind { SD_ELF_SYMBOLS_CODE, SD_ELF_SYMBOLS_DATA };

struct sd_function {
	uint64_t start, end;
	uint64_t reach; /* the highest end up to this item */
	uint32_t name;
	unsigned char table, bind, sized;
};

#define SD_ELF_SYMBOLS_TABLES 4

struct sd_elf_symbols {
	enum sd_elf_symbols_kind kind;
	struct sd_function *item; /* owned; ascending by start, which is unique */
	size_t n;
	struct {
		Elf *elf; /* borrowed */
		size_t names;
	} table[SD_ELF_SYMBOLS_TABLES];
	size_t n_table;
};

/*
 * Adds the symbols of f's table of type SHT_SYMTAB or SHT_DYNSYM; f must stay open as long as *out.
 * Returns the number added, or -ENOMEM. Symbols without a size (assembly) extend to the next symbol
 * in a complete table; in a table of exported symbols only they are left out, since unknown code
 * may follow.
 */
long sd_elf_symbols_add(struct sd_elf_symbols *out, const struct sd_elf_file *f, unsigned type);

/* Call after the last add and before lookups. */
void sd_elf_symbols_sort(struct sd_elf_symbols *f);

/* The innermost symbol containing vaddr; NULL: none. */
const struct sd_function *sd_elf_symbols_at(const struct sd_elf_symbols *f, uint64_t vaddr);

/* Never NULL; borrowed from the ELF file. */
const char *sd_elf_symbols_name(const struct sd_elf_symbols *f, const struct sd_function *one);

void sd_elf_symbols_free(struct sd_elf_symbols *f); /* accepts the zeroed value, leaves it */

#endif
