/*
 * State of the symbols, for those who look up in it (symbols.h).
 */
#ifndef SD_SYMBOLS_STATE_H
#define SD_SYMBOLS_STATE_H

#include "base/key_table.h"
#include "symbols/address_spaces.h"
#include "symbols/jit_maps.h"
#include "symbols/kallsyms.h"
#include "symbols/mapped_files.h"
#include "symbols/modules.h"
#include "symbols/row_cache.h"
#include "symbols/symbols.h"

struct sd_symbols {
	char *root;
	struct sd_string_pool pool;
	struct sd_modules modules;
	struct sd_address_spaces told, seen; /* by events; by visits */
	struct sd_mapped_files held;
	struct sd_row_cache rows;
	struct sd_key_table places; /* (module + 1, address) -> struct sd_placelist * */
	struct sd_jit_maps *jit;
	struct sd_kallsyms kernel;
	size_t (*copied)(const void *copies, int pid, uint64_t pc, unsigned char *out, size_t max);
	const void *copies; /* borrowed; of code that is in no file, while `copied` is not NULL */
	unsigned runs;      /* tells processes of several runs apart */
	int no_kernel;      /* the addresses are of another boot */
	int pid;            /* whose space is `space`: the last one asked for */
	const struct sd_space *space;
};

/* The mapping of a process at pc, by events, or by the last visit where events told nothing of it;
 * NULL: none. `space` is the process's then. */
const struct sd_map *sd_symbols_state_map(struct sd_symbols *s, int pid, uint64_t pc);

/* Its module, opened, and the address in the file's own terms; 0 or -ENOENT. */
int sd_symbols_state_locate(struct sd_symbols *s, const struct sd_map *map, uint64_t pc,
	struct sd_module **module, uint64_t *vaddr);

#endif
