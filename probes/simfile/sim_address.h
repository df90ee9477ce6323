/*
 * Names the addresses of an emulated program: code as nodes of a record's stacks, data as
 * variables, heap blocks and stacks.
 */
#ifndef SD_SIM_ADDRESS_H
#define SD_SIM_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#include "simfile/sim_file.h"
#include "record/stacks.h"
#include "symbols/symbols.h"

struct sd_sim_address {
	const struct sd_sim_file *f;
	struct sd_stacks *stacks;
	struct sd_symbols *symbols;
};

/* Passes the file's mappings to the symbols. 0 or -ENOMEM. */
int sd_sim_address_maps(const struct sd_sim_address *n);

/* The node of an instruction, or of the call before a return address (`caller`), below `parent`. */
int sd_sim_address_code(
	const struct sd_sim_address *n, uint64_t pc, int caller, unsigned parent, unsigned *out);

/* The node of an allocation with its callers; 0: none. */
int sd_sim_address_site(
	const struct sd_sim_address *n, const struct sd_sim_file_site *site, unsigned *out);

/*
 * Describes an address in line `l` (may be NULL): "counters[3].hits", "heap block of 320 bytes at
 * +64", "stack of thread 3"; "" unknown. `variable` is the start of the variable or block; 0:
 * neither.
 */
void sd_sim_address_data(const struct sd_sim_address *n, uint64_t address,
	const struct sd_sim_file_contested *l, struct sd_symbols_part *out);

/* The start of an address's function in its file *module; 0 and NULL if unknown. */
uint64_t sd_sim_address_function(const struct sd_sim_address *n, uint64_t pc, const char **module);

#endif
